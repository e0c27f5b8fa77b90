// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Classes that Lombok made, by its own annotation processor. */
class LombokTest {

    private static Shape data() {
        var data = new LombokShapes.LombokData();
        data.setId(Shape.ID);
        return Shape.of(data, "{'id':ID}");
    }

    private static List<Shape> seenByAll() {
        return List.of(data(), Shape.of(new LombokShapes.LombokValue(Shape.ID), "{'id':ID}"));
    }

    private static List<Shape> built() {
        return List.of(
                Shape.of(
                        LombokShapes.LombokBuilder.builder()
                                .orderId(Shape.ID)
                                .part(Shape.ID)
                                .build(),
                        "{'order_id':ID,'parts':[ID]}"),
                Shape.of(LombokShapes.LombokRecord.builder().id(Shape.ID).build(), "{'id':ID}"),
                Shape.of(
                        LombokShapes.LombokSuperBuilder.builder()
                                .ids(List.of(Shape.ID))
                                .id(Shape.ID)
                                .build(),
                        "{'ids':[ID],'id':ID}"));
    }

    private static Stream<Arguments> each(List<Mapper> mappers, List<Shape> shapes) {
        return mappers.stream().flatMap(mapper -> shapes.stream().map(shape -> Arguments.of(mapper, shape)));
    }

    static Stream<Arguments> right() {
        return Stream.concat(each(Mapper.all(), seenByAll()), each(Mapper.withOurModule(), built()));
    }

    @ParameterizedTest
    @MethodSource("right")
    void itsIdsAreTextAndOnlyTextIsRead(Mapper mapper, Shape shape) throws Exception {
        shape.isTextBothWays(mapper);
    }

    static Stream<Arguments> withoutOurModule() {
        return each(Mapper.withoutOurModule(), built());
    }

    @ParameterizedTest
    @MethodSource("withoutOurModule")
    void aBuilderIsRefusedWhenItsClassIsWrittenWithoutOurModule(Mapper mapper, Shape shape) {
        assertThatThrownBy(() -> mapper.write(shape.object()))
                .hasMessageContaining("@SnowflakeText stands on ")
                .hasMessageContaining(
                        ", where the annotation is not: it would read numbers. Register SnowflakeJackson");
    }

    @Test
    void theTableHasEachShape() throws Exception {
        assertThat(Files.readString(Path.of("../../docs/evidence/shapes.md")))
                .contains(Stream.concat(seenByAll().stream(), built().stream())
                        .map(shape -> "`" + shape.name() + "`")
                        .toList());
    }
}
