// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Named.named;

import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import jakarta.json.bind.JsonbException;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.snowflakeid.IdFormatException;

class SnowflakeTextTest {

    private static final long ID = 911_852_594_806_915_072L;

    static Stream<Named<JsonLibrary>> libraries() {
        return Stream.of(
                named("JSON-B", new JsonB()), named("Jackson 2", new Jackson2()), named("Jackson 3", new Jackson3()));
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void writesIdsAsTextAndOtherLongsAsNumbers(JsonLibrary library) throws Exception {
        var order = new Orders.WithFields();
        order.id = ID;
        order.parent = Long.MAX_VALUE;
        order.quantity = 3;

        assertThat(library.write(order))
                .contains("\"id\":\"911852594806915072\"")
                .contains("\"parent\":\"9223372036854775807\"")
                .contains("\"quantity\":3");
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void readsWhatItWroteFromFieldsPropertiesRecordsAndCreators(JsonLibrary library) throws Exception {
        var fields = new Orders.WithFields();
        fields.id = ID;
        fields.parent = 7L;
        var getter = new Orders.WithGetter();
        getter.setId(ID);

        assertThat(again(library, fields)).usingRecursiveComparison().isEqualTo(fields);
        assertThat(again(library, getter)).usingRecursiveComparison().isEqualTo(getter);
        assertThat(again(library, new Orders.WithCreator(ID)).getId()).isEqualTo(ID);
        var order = new Orders.AsRecord(ID, 7L);
        assertThat(library.write(order)).contains("\"id\":\"911852594806915072\"", "\"parent\":\"7\"");
        assertThat(again(library, order)).isEqualTo(order);
    }

    private static <T> T again(JsonLibrary library, T value) throws Exception {
        @SuppressWarnings("unchecked")
        Class<T> type = (Class<T>) value.getClass();
        return library.read(library.write(value), type);
    }

    @Test
    void writesAndReadsTheOtherFormatsInJsonB() throws Exception {
        var order = new Orders.InOtherFormatsOfJsonB();
        order.crockford = ID;
        order.base62 = ID;
        order.hex = ID;

        assertOtherFormats(new JsonB(), order);
        assertThat(again(new JsonB(), new Orders.InOtherFormatsOfJsonB()).base62)
                .isNull();
    }

    @Test
    void writesAndReadsTheOtherFormatsInJackson() throws Exception {
        var order = new Orders.InOtherFormats();
        order.crockford = ID;
        order.base62 = ID;
        order.hex = ID;

        for (JsonLibrary library : List.of(new Jackson2(), new Jackson3())) {
            assertOtherFormats(library, order);
            assertThat(again(library, new Orders.InOtherFormats()).base62).isNull();
        }
    }

    private static void assertOtherFormats(JsonLibrary library, Object order) throws Exception {
        assertThat(library.write(order))
                .contains("\"crockford\":\"0S9WD3A8FR000\"")
                .contains("\"base62\":\"15MIGHU0fdg\"")
                .contains("\"hex\":\"0ca78d1a90fc0000\"");
        assertThat(again(library, order)).usingRecursiveComparison().isEqualTo(order);
        assertRefused(
                library,
                "{\"hex\":\"911852594806915072\"}",
                order.getClass(),
                "'911852594806915072' is not an id in the format hex");
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void keepsNullOfLong(JsonLibrary library) throws Exception {
        assertThat(library.read("{\"id\":\"7\",\"parent\":null}", Orders.WithFields.class).parent)
                .isNull();
        assertThat(library.read("{\"id\":\"7\",\"parent\":null}", Orders.AsRecord.class))
                .isEqualTo(new Orders.AsRecord(7, null));
        assertThat(library.read("{\"id\":\"7\"}", Orders.AsRecord.class)).isEqualTo(new Orders.AsRecord(7, null));
        assertThat(again(library, new Orders.WithFields()).parent).isNull();
    }

    /** A new thing has no id yet. */
    @ParameterizedTest
    @MethodSource("libraries")
    void takesAnAbsentLongForZero(JsonLibrary library) throws Exception {
        assertThat(library.read("{}", Orders.WithFields.class).id).isZero();
        assertThat(library.read("{}", Orders.AsRecord.class).id()).isZero();
    }

    static Stream<Arguments> badValues() {
        return libraries().flatMap(library -> Stream.of(
                        List.of("\"1e3\"", "'1e3' is not an id"),
                        List.of("\"\"", "'' is not an id"),
                        List.of("\" 5\"", "' 5' is not an id"),
                        List.of("\"abc\"", "'abc' is not an id"),
                        List.of("\"+5\"", "'+5' is not an id"),
                        List.of("\"-5\"", "ids are not negative"),
                        List.of("\"9223372036854775808\"", "it is more than 9223372036854775807"),
                        List.of("\"\\u0661\"", "is none of 0123456789"),
                        List.of("911852594806915072", "is not an id: ids are text in JSON, in quotation marks"),
                        List.of("5", "is not an id: ids are text in JSON, in quotation marks"),
                        List.of("1e3", "is not an id: ids are text in JSON, in quotation marks"),
                        List.of("true", "is not an id: ids are text in JSON, in quotation marks"),
                        List.of("{\"a\":1}", "is not an id: ids are text in JSON, in quotation marks"),
                        List.of("[\"5\"]", "is not an id: ids are text in JSON, in quotation marks"))
                .map(bad -> Arguments.of(library, bad.get(0), bad.get(1))));
    }

    @ParameterizedTest
    @MethodSource("badValues")
    void refusesWhatIsNoIdAndSaysWhy(JsonLibrary library, String value, String reason) {
        for (String json : List.of("{\"id\":" + value + "}", "{\"id\":\"7\",\"parent\":" + value + "}")) {
            for (Class<?> type : List.of(Orders.WithFields.class, Orders.AsRecord.class)) {
                assertRefused(library, json, type, reason);
            }
        }
    }

    private static void assertRefused(JsonLibrary library, String json, Class<?> type, String reason) {
        // What wraps the refusal differs: Yasson says of a record only which property it was.
        assertThatThrownBy(() -> library.read(json, type))
                .isInstanceOfAny(
                        JsonbException.class,
                        MismatchedInputException.class,
                        tools.jackson.databind.exc.MismatchedInputException.class)
                .rootCause()
                .asInstanceOf(InstanceOfAssertFactories.throwable(IdFormatException.class))
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void refusesNullForAPrimitive(JsonLibrary library) {
        assertRefused(library, "{\"id\":null}", Orders.WithFields.class, "NULL is not an id");
        assertRefused(library, "{\"id\":null}", Orders.WithGetter.class, "NULL is not an id");
        assertRefused(library, "{\"id\":null}", Orders.AsRecord.class, "NULL is not an id");
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void writesNoNegativeId(JsonLibrary library) {
        assertThatThrownBy(() -> library.write(new Orders.AsRecord(-1, null)))
                .hasStackTraceContaining("id -1 is negative");
    }

    @Test
    void refusesOtherTypesThanLongInJacksonAndSaysWhere() {
        String place =
                Orders.WithText.class.getName() + "#ids, which is neither a long or Long, nor a collection, array, "
                        + "Optional or map of these, but java.lang.String.";
        for (JsonLibrary library : List.of(new Jackson2(), new Jackson3())) {
            assertThatThrownBy(() -> library.write(new Orders.WithText()))
                    .hasMessageContaining("@SnowflakeText stands on " + place);
            assertThatThrownBy(() -> library.read("{\"ids\":\"7\"}", Orders.WithText.class))
                    .hasMessageContaining("@SnowflakeText stands on " + place);
        }
    }

    // the message named the getter only, where no annotation stands
    @Test
    void saysOfAGetterThatTheAnnotationMayStandOnItsFieldInJackson() throws Exception {
        for (JsonLibrary library : List.of(new Jackson2(), new Jackson3())) {
            assertThatThrownBy(() -> library.write(new Orders.WithOptionalGetter()))
                    .hasMessageContaining("WithOptionalGetter#getId(), or on the field of that name, which")
                    .hasMessageContaining("If it is the field's, put @JsonIgnore on the method.");
            assertThat(library.write(new Orders.WithIgnoredGetter())).isEqualTo("{\"id\":\"7\"}");
        }
    }

    // it failed with a ClassCastException when it wrote
    @Test
    void refusesOtherTypesThanLongInJsonB() {
        JsonLibrary library = new JsonB();
        assertThatThrownBy(() -> library.write(new Orders.WithText()))
                .hasStackTraceContaining("neither a long or Long, nor ");
        assertThatThrownBy(() -> library.read("{\"ids\":\"7\"}", Orders.WithText.class))
                .hasStackTraceContaining("neither a long or Long, nor ");
    }

    @Test
    void writesTheValueOfATypeAndOfATypeVariableInJackson() throws Exception {
        var variable = new Orders.WithVariable<Long>();
        variable.id = 7L;
        for (JsonLibrary library : List.of(new Jackson2(), new Jackson3())) {
            assertThat(library.write(new Orders.WithValue())).isEqualTo("{\"id\":\"7\"}");
            assertThat(library.write(variable)).isEqualTo("{\"id\":\"7\"}");
        }
    }
}
