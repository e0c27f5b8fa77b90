// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Classes that Kotlin's compiler made. Value classes wrote numbers. */
class KotlinTest {

    private static Stream<Shape> shapes(Map<Object, String> patterns) {
        return patterns.entrySet().stream().map(entry -> Shape.of(entry.getKey(), entry.getValue()));
    }

    private static Stream<Arguments> each(List<Mapper> mappers, Map<Object, String> patterns) {
        return mappers.stream().flatMap(mapper -> shapes(patterns).map(shape -> Arguments.of(mapper, shape)));
    }

    static Stream<Arguments> seen() {
        return each(Mapper.all(), KotlinShapes.seen(Shape.ID));
    }

    static Stream<Arguments> hidden() {
        return each(Mapper.withOurModule(), KotlinShapes.hidden(Shape.ID));
    }

    @ParameterizedTest
    @MethodSource({"seen", "hidden"})
    void itsIdsAreTextAndOnlyTextIsRead(Mapper mapper, Shape shape) throws Exception {
        shape.isTextBothWays(mapper);
    }

    static List<Mapper> mappers() {
        return Mapper.withOurModule();
    }

    @ParameterizedTest
    @MethodSource("mappers")
    void aValueClassHasItsFormatItsNullAndItsChecks(Mapper mapper) throws Exception {
        assertThat(mapper.write(KotlinShapes.hex(Shape.ID))).isEqualTo("{\"id\":\"0ca78d1a90fc0000\"}");
        assertThat(mapper.read("{\"id\":\"0ca78d1a90fc0000\"}", OfHex.class)).isEqualTo(KotlinShapes.hex(Shape.ID));

        assertThat(mapper.write(KotlinShapes.hexKeys(Shape.ID))).isEqualTo("{\"ids\":{\"0ca78d1a90fc0000\":\"a\"}}");
        assertThat(mapper.read("{\"ids\":{\"0ca78d1a90fc0000\":\"a\"}}", OfHexKeys.class))
                .isEqualTo(KotlinShapes.hexKeys(Shape.ID));

        assertThat(mapper.write(KotlinShapes.without())).isEqualTo("{\"id\":null}");
        assertThat(mapper.read("{\"id\":null}", OnNullable.class)).isEqualTo(KotlinShapes.without());
        assertThatThrownBy(() -> mapper.read("{\"id\":null}", OnParameter.class))
                .hasMessageContaining("id");
        assertThatThrownBy(() -> mapper.read("{\"id\":\"0\"}", OnParameter.class))
                .hasStackTraceContaining("no order has the id 0");
    }

    static Stream<Arguments> misplaced() {
        return Mapper.withOurModule().stream()
                .flatMap(mapper -> KotlinShapes.misplaced().stream().map(shape -> Arguments.of(mapper, shape)));
    }

    static Stream<Arguments> misplacedAndSeen() {
        return Mapper.withoutOurModule().stream().flatMap(mapper -> KotlinShapes.misplaced().stream()
                .filter(OnName.class::isInstance)
                .map(shape -> Arguments.of(mapper, shape)));
    }

    @ParameterizedTest
    @MethodSource({"misplaced", "misplacedAndSeen"})
    void anotherValueIsRefusedByName(Mapper mapper, Object shape) {
        String place = shape instanceof OfMarkedName
                ? "the value of " + MarkedName.class.getName()
                : shape.getClass().getName() + "#";
        for (var use : List.<ThrowingCallable>of(
                () -> mapper.write(shape), () -> mapper.read("{\"id\":\"5\"}", shape.getClass()))) {
            assertThatThrownBy(use)
                    .hasMessageContaining("@SnowflakeText stands on " + place)
                    .hasMessageContaining("which is neither a long or Long");
        }
    }

    @Test
    void theTableHasEachShape() throws Exception {
        assertThat(Files.readString(Path.of("../../docs/evidence/shapes.md")))
                .contains(Stream.of(
                                KotlinShapes.seen(Shape.ID).keySet(),
                                KotlinShapes.hidden(Shape.ID).keySet(),
                                KotlinShapes.misplaced())
                        .flatMap(shapes -> shapes.stream())
                        .map(shape -> "`" + shape.getClass().getSimpleName() + "`")
                        .toList());
    }
}
