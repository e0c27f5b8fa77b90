// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Named.named;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.snowflakeid.SnowflakeFormat;

/** Each shape, with each library: its ids are text, or it is refused with a reason. */
class ShapesTest {

    private static final long ID = 911_852_594_806_915_072L;
    private static final String TEXT = "\"911852594806915072\"";

    private static List<Named<JsonLibrary>> jackson() {
        return List.of(named("Jackson 2", new Jackson2()), named("Jackson 3", new Jackson3()));
    }

    private static List<Named<JsonLibrary>> jacksonWithModules() {
        return List.of(
                named("Jackson 2 and module", Jackson2.withModules()),
                named("Jackson 3 and module", Jackson3.withModules()));
    }

    private static List<Named<JsonLibrary>> everyJackson() {
        return Stream.concat(jackson().stream(), jacksonWithModules().stream()).toList();
    }

    private static List<Named<JsonLibrary>> everywhere() {
        List<Named<JsonLibrary>> all = new ArrayList<>(everyJackson());
        all.add(named("JSON-B", new JsonB()));
        return all;
    }

    private static <T> T with(T shape, Consumer<T> ids) {
        ids.accept(shape);
        return shape;
    }

    private static Stream<Arguments> row(List<Named<JsonLibrary>> libraries, Object shape, String json) {
        return libraries.stream()
                .map(library -> Arguments.of(
                        library, named(shape.getClass().getSimpleName(), shape), json.replace("ID", TEXT)));
    }

    static Stream<Arguments> right() {
        return Stream.of(
                        row(everywhere(), with(new Shapes.Primitive(), s -> s.id = ID), "{'id':ID}"),
                        row(everywhere(), with(new Shapes.Boxed(), s -> s.id = ID), "{'id':ID}"),
                        row(everywhere(), new Shapes.Boxed(), "{'id':null}"),
                        row(everywhere(), with(new Shapes.PrivateFieldWithAccessors(), s -> s.setId(ID)), "{'id':ID}"),
                        row(everywhere(), with(new Shapes.OnTheGetter(), s -> s.setId(ID)), "{'id':ID}"),
                        row(everywhere(), with(new Shapes.OnFieldAndGetter(), s -> s.setId(ID)), "{'id':ID}"),
                        row(everywhere(), new Shapes.InARecord(ID), "{'id':ID}"),
                        row(everywhere(), new Shapes.ListInARecord(List.of(ID, 7L)), "{'ids':[ID,'7']}"),
                        row(everywhere(), with(new Shapes.OfAGenericSuperclass(), s -> s.id = ID), "{'id':ID}"),
                        row(
                                everyJackson(),
                                with(new Shapes.OfAGenericSuperclassWithAList(), s -> s.id = List.of(ID)),
                                "{'id':[ID]}"),
                        row(everyJackson(), with(new Shapes.OnAnInterface(), s -> s.setId(ID)), "{'id':ID}"),
                        row(everywhere(), with(new Shapes.InAList(), s -> s.ids = List.of(ID, 7L)), "{'ids':[ID,'7']}"),
                        row(everywhere(), with(new Shapes.InAList(), s -> s.ids = List.of()), "{'ids':[]}"),
                        row(everywhere(), with(new Shapes.InASet(), s -> s.ids = Set.of(ID)), "{'ids':[ID]}"),
                        row(
                                everywhere(),
                                with(new Shapes.InASortedSet(), s -> s.ids = new TreeSet<>(Set.of(7L, ID))),
                                "{'ids':['7',ID]}"),
                        row(everywhere(), with(new Shapes.InACollection(), s -> s.ids = List.of(ID)), "{'ids':[ID]}"),
                        row(
                                everywhere(),
                                with(new Shapes.InAPrimitiveArray(), s -> s.ids = new long[] {ID, 7}),
                                "{'ids':[ID,'7']}"),
                        row(
                                everywhere(),
                                with(new Shapes.InAnArray(), s -> s.ids = new Long[] {ID, 7L}),
                                "{'ids':[ID,'7']}"),
                        row(everywhere(), with(new Shapes.InAnOptional(), s -> s.id = Optional.of(ID)), "{'id':ID}"),
                        row(everywhere(), new Shapes.InAnOptional(), "{'id':null}"),
                        row(
                                everyJackson(),
                                with(new Shapes.AsKeys(), s -> s.names = Map.of(ID, "a")),
                                "{'names':{ID:'a'}}"),
                        row(
                                everyJackson(),
                                with(
                                        new Shapes.AsSortedKeys(),
                                        s -> s.parts = new TreeMap<>(
                                                Map.of(7L, with(new Shapes.Primitive(), p -> p.id = ID)))),
                                "{'parts':{'7':{'id':ID}}}"),
                        row(
                                everyJackson(),
                                with(
                                        new Shapes.AsKeysOfTypedLists(),
                                        s -> s.parts =
                                                Map.of(7L, List.of(with(new Shapes.Subtype(), part -> part.id = ID)))),
                                "{'parts':{'7':[{'@class':'" + Shapes.Subtype.class.getName() + "','id':ID}]}}"),
                        row(
                                everywhere(),
                                with(new Shapes.AsValues(), s -> s.ids = Map.of("a", ID)),
                                "{'ids':{'a':ID}}"),
                        row(
                                everywhere(),
                                with(new Shapes.AsKeysAndValues(), s -> s.parents = Map.of(7L, ID)),
                                "{'parents':{'7':ID}}"),
                        row(
                                everywhere(),
                                with(new Shapes.InListsOfLists(), s -> s.ids = List.of(List.of(ID), List.of(7L, ID))),
                                "{'ids':[[ID],['7',ID]]}"),
                        row(
                                everywhere(),
                                with(new Shapes.InListsOfArrays(), s -> s.ids = List.of(new long[] {ID})),
                                "{'ids':[[ID]]}"),
                        row(
                                everywhere(),
                                with(new Shapes.InAMapOfLists(), s -> s.parts = Map.of(7L, List.of(ID))),
                                "{'parts':{'7':[ID]}}"),
                        row(everyJackson(), with(new Shapes.Renamed(), s -> s.id = ID), "{'order_id':ID}"),
                        row(everyJackson(), with(new Shapes.Unwrapped(), s -> s.part.id = ID), "{'id':ID}"),
                        row(everyJackson(), with(new Shapes.InAView(), s -> s.id = ID), "{'id':ID}"),
                        row(
                                everyJackson(),
                                with(new Shapes.Subtype(), s -> s.id = ID),
                                "{'@class':'" + Shapes.Subtype.class.getName() + "','id':ID}"),
                        row(everyJackson(), new Shapes.WithACreator(ID), "{'id':ID}"),
                        row(
                                everyJackson(),
                                with(new Shapes.OnFieldAndParameterOfTheSetter(), s -> s.setId(ID)),
                                "{'id':ID}"),
                        row(
                                everyJackson(),
                                new Shapes.BuiltByMarked.Builder().id(ID).build(),
                                "{'id':ID}"),
                        row(
                                everyJackson(),
                                new Shapes.BuiltByMarkedAndRenamed.Builder()
                                        .orderId(ID)
                                        .build(),
                                "{'order_id':ID}"),
                        row(
                                jacksonWithModules(),
                                new Shapes.Built.Builder().id(ID).build(),
                                "{'id':ID}"),
                        row(
                                jacksonWithModules(),
                                new Shapes.BuiltByAGenericBuilder.Builder()
                                        .id(ID)
                                        .build(),
                                "{'id':ID}"),
                        row(
                                jacksonWithModules(),
                                new Shapes.SubBuilt.BuilderImpl()
                                        .ids(List.of(ID))
                                        .orderId(ID)
                                        .build(),
                                "{'ids':[ID],'order_id':ID}"))
                .flatMap(rows -> rows);
    }

    @ParameterizedTest
    @MethodSource("right")
    void itsIdsAreTextAndOnlyTextIsRead(JsonLibrary library, Object shape, String quoted) throws Exception {
        String json = quoted.replace('\'', '"');

        String written = library.write(shape);

        if (json.contains("null")) {
            assertThat(written).isIn(json, "{}");
        } else {
            assertThat(written).isEqualTo(json);
        }
        assertThat(library.read(json, shape.getClass()))
                .usingRecursiveComparison()
                .isEqualTo(shape);
        for (String bad : List.of(
                "911852594806915072",
                "5",
                "5.0",
                "true",
                "{\"a\":1}",
                "[\"5\"]",
                "\"\"",
                "\" 5\"",
                "\"+5\"",
                "\"-5\"",
                "\"9223372036854775808\"")) {
            if (json.contains(TEXT + ":") && !bad.startsWith("\"")) {
                // No key of an object in JSON.
                continue;
            }
            String wrong = json.replace(TEXT, bad);
            if (!wrong.equals(json)) {
                assertThatThrownBy(() -> library.read(wrong, shape.getClass()))
                        .as(wrong)
                        .hasStackTraceContaining("is not an id");
            }
        }
    }

    @Test
    void theTableHasEachShape() throws Exception {
        String table = Files.readString(Path.of("../docs/evidence/shapes.md"));
        assertThat(table)
                .contains(Stream.of(
                                right(),
                                refused(),
                                refusedInReferences(),
                                refusedOnAnyProperties(),
                                refusedOnParameters())
                        .flatMap(rows -> rows)
                        .map(row -> row.get()[1] instanceof Named<?> shape ? shape.getPayload() : row.get()[1])
                        .map(shape -> "`" + shape.getClass().getSimpleName() + "`")
                        .toList());
    }

    @Test
    void elementsMayBeNullUnlessTheyArePrimitive() throws Exception {
        for (Named<JsonLibrary> library : everywhere()) {
            assertThat(library.getPayload().read("{\"ids\":[null,\"7\"]}", Shapes.InAList.class).ids)
                    .containsExactly(null, 7L);
            assertThatThrownBy(
                            () -> library.getPayload().read("{\"ids\":[null,\"7\"]}", Shapes.InAPrimitiveArray.class))
                    .hasStackTraceContaining("NULL is not an id");
        }
    }

    @Test
    void aTypeOfItsOwnForAnIdIsReadByItsCreator() throws Exception {
        for (Named<JsonLibrary> library : jacksonWithModules()) {
            assertThat(library.getPayload().write(new Shapes.OrderId(ID))).isEqualTo(TEXT);
            assertThat(library.getPayload().read(TEXT, Shapes.OrderId.class)).isEqualTo(new Shapes.OrderId(ID));
            for (String bad : List.of("5", "\"+5\"", "[\"5\"]")) {
                assertThatThrownBy(() -> library.getPayload().read(bad, Shapes.OrderId.class))
                        .hasStackTraceContaining("is not an id");
            }
        }
    }

    // it was written as a decimal, and read as one or not at all
    @Test
    void aTypeOfItsOwnForAnIdHasTheFormatOfItsAnnotation() throws Exception {
        String hex = "\"" + SnowflakeFormat.HEX.format(ID) + "\"";
        for (Named<JsonLibrary> library : jacksonWithModules()) {
            JsonLibrary jackson = library.getPayload();
            assertThat(jackson.write(new Shapes.HexOrderId(ID))).isEqualTo(hex);
            assertThat(jackson.write(List.of(new Shapes.HexByItsGetter(ID)))).isEqualTo("[" + hex + "]");
            assertThat(jackson.read(hex, Shapes.HexOrderId.class)).isEqualTo(new Shapes.HexOrderId(ID));
            assertThat(jackson.read(hex, Shapes.HexByItsGetter.class).value()).isEqualTo(ID);
            for (Class<?> shape : List.of(Shapes.HexOrderId.class, Shapes.HexByItsGetter.class)) {
                for (String bad : List.of("5", TEXT, "[" + hex + "]")) {
                    assertThatThrownBy(() -> jackson.read(bad, shape)).as(bad).hasStackTraceContaining("is not an id");
                }
            }
        }
    }

    // what writes the id took the map for one
    @Test
    void valuesOfAMapMayBeIdsOfATypeOfTheirOwn() throws Exception {
        for (Named<JsonLibrary> library : everyJackson()) {
            var shape = with(new Shapes.AsKeysOfIdsOfTheirOwn(), s -> s.orders = Map.of(7L, new Shapes.OrderId(ID)));
            String json = "{\"orders\":{\"7\":" + TEXT + "}}";

            assertThat(library.getPayload().write(shape)).isEqualTo(json);
            assertThat(library.getPayload().read(json, Shapes.AsKeysOfIdsOfTheirOwn.class))
                    .usingRecursiveComparison()
                    .isEqualTo(shape);
        }
    }

    public static class User {
        public String name = "Ada";
        public String secret = "1815";
    }

    public static class UsersByIds {
        @SnowflakeText
        @JsonIgnoreProperties("secret")
        public Map<Long, User> users = Map.of(7L, new User());

        @SnowflakeText
        @JsonFormat(shape = JsonFormat.Shape.STRING)
        public Map<Long, Double> prices = Map.of(7L, 1.5);
    }

    // what was written first decided for both: a secret was shown, or a user had none
    @Test
    void valuesOfAMapAreWrittenAsItsOtherAnnotationsSay() throws Exception {
        for (Named<JsonLibrary> library : everyJackson()) {
            JsonLibrary jackson = library.getPayload();
            String user = jackson.write(new User());
            String price = jackson.write(1.5);

            String byIds = jackson.write(new UsersByIds());

            assertThat(user).contains("\"secret\":\"1815\"");
            assertThat(byIds)
                    .contains("\"users\":{\"7\":{", "\"name\":\"Ada\"", "\"prices\":{\"7\":\"1.5\"}")
                    .doesNotContain("secret");
            assertThat(jackson.write(new User())).isEqualTo(user);
            assertThat(jackson.write(1.5)).isEqualTo(price);
        }
    }

    @Test
    void valuesOfAMapDecideNothingForValuesElsewhere() throws Exception {
        for (Named<JsonLibrary> library : everyJackson()) {
            String byIds = library.getPayload().write(new UsersByIds());

            assertThat(byIds).doesNotContain("secret");
            assertThat(library.getPayload().write(new User())).contains("secret");
            assertThat(library.getPayload().write(1.5)).isEqualTo("1.5");
        }
    }

    public static class Sparse {
        @SnowflakeText
        @JsonInclude(content = JsonInclude.Include.NON_EMPTY)
        public Map<Long, List<String>> names = new TreeMap<>(Map.of(7L, List.of("a"), 8L, List.of()));

        @SnowflakeText
        @JsonInclude(value = JsonInclude.Include.NON_EMPTY, content = JsonInclude.Include.NON_NULL)
        public Map<String, @Nullable Long> none = new TreeMap<>();

        @SnowflakeText
        @JsonInclude(content = JsonInclude.Include.NON_NULL)
        public Map<Long, @Nullable Long> parents = new TreeMap<>(Map.of(7L, ID));

        Sparse() {
            parents.put(8L, null);
            none.put("a", null);
        }
    }

    // they were written with what the annotation says to leave out
    @Test
    void entriesOfAMapAreLeftOutAsItsAnnotationSays() throws Exception {
        for (Named<JsonLibrary> library : everyJackson()) {
            assertThat(library.getPayload().write(new Sparse()))
                    .isEqualTo("{\"names\":{\"7\":[\"a\"]},\"parents\":{\"7\":" + TEXT + "}}");
        }
    }

    // Spring Boot sets it by spring.jackson.default-property-inclusion: null was written in maps of ids alone
    @Test
    void aMapIsWrittenAsItsMapperIsSet() throws Exception {
        JsonInclude.Value notNull =
                JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL);
        var jackson2 = com.fasterxml.jackson.databind.json.JsonMapper.builder()
                .defaultPropertyInclusion(notNull)
                .enable(com.fasterxml.jackson.databind.SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .build();
        var jackson3 = tools.jackson.databind.json.JsonMapper.builder()
                .changeDefaultPropertyInclusion(usual -> notNull)
                .enable(tools.jackson.databind.SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .build();
        var shape = new Shapes.AsKeysAndValues();
        shape.parents = new LinkedHashMap<>();
        shape.parents.put(9L, ID);
        shape.parents.put(8L, null);
        shape.parents.put(7L, 5L);
        String json = "{\"parents\":{\"7\":\"5\",\"9\":" + TEXT + "}}";

        assertThat(jackson2.writeValueAsString(shape)).isEqualTo(json);
        assertThat(jackson3.writeValueAsString(shape)).isEqualTo(json);
    }

    public static class KeysOfTheirOwn {
        public Map<Shapes.HexOrderId, String> names = Map.of(new Shapes.HexOrderId(ID), "a");
        public Map<Shapes.HexByItsGetter, String> others = Map.of(new Shapes.HexByItsGetter(ID), "b");
        public Map<Shapes.OrderId, String> decimals = Map.of(new Shapes.OrderId(ID), "c");
    }

    // as a key the same type was a decimal
    @Test
    void aTypeOfItsOwnForAnIdHasTheFormatOfItsAnnotationAsAKeyToo() throws Exception {
        String hex = SnowflakeFormat.HEX.format(ID);
        for (Named<JsonLibrary> library : jacksonWithModules()) {
            assertThat(library.getPayload().write(new KeysOfTheirOwn()))
                    .contains(
                            "\"names\":{\"" + hex + "\":\"a\"}",
                            "\"others\":{\"" + hex + "\":\"b\"}",
                            "\"decimals\":{" + TEXT + ":\"c\"}");
        }
    }

    /** Of a library that knows nothing of ids. */
    public static class Foreign {
        public long id = 5;
    }

    public abstract static class MarkingField {
        @SnowflakeText
        public long id;
    }

    @Test
    void aMixinMarksAClassOfAnother() throws Exception {
        String json = "{\"id\":\"5\"}";
        var jackson2 = new com.fasterxml.jackson.databind.ObjectMapper().addMixIn(Foreign.class, MarkingField.class);
        var jackson3 = tools.jackson.databind.json.JsonMapper.builder()
                .addMixIn(Foreign.class, MarkingField.class)
                .build();

        assertThat(jackson2.writeValueAsString(new Foreign())).isEqualTo(json);
        assertThat(jackson3.writeValueAsString(new Foreign())).isEqualTo(json);
        assertThat(jackson2.readValue(json, Foreign.class).id).isEqualTo(5);
        assertThat(jackson3.readValue(json, Foreign.class).id).isEqualTo(5);
        assertThatThrownBy(() -> jackson2.readValue("{\"id\":5}", Foreign.class))
                .hasStackTraceContaining("is not an id");
        assertThatThrownBy(() -> jackson3.readValue("{\"id\":5}", Foreign.class))
                .hasStackTraceContaining("is not an id");
    }

    /** The same class without the annotation is not read as one with it. */
    @Test
    void otherPropertiesOfTheSameTypeKeepTheirNumbers() throws Exception {
        for (Named<JsonLibrary> library : everywhere()) {
            var both = new Both();
            both.ids = List.of(List.of(ID));
            both.quantities = List.of(List.of(5L));
            String json = "{\"ids\":[[" + TEXT + "]],\"quantities\":[[5]]}";

            assertThat(library.getPayload().write(both)).isEqualTo(json);
            assertThat(library.getPayload().read(json, Both.class))
                    .usingRecursiveComparison()
                    .isEqualTo(both);
        }
    }

    public static class Both {
        @SnowflakeText
        public List<List<Long>> ids = List.of();

        public List<List<Long>> quantities = List.of();
    }

    static Stream<Arguments> refused() {
        String misplaced = ", which is neither a long or Long, nor a collection, array, Optional or map of these, but ";
        return Stream.of(
                        new Shapes.OnAnInteger(),
                        new Shapes.OnABigInteger(),
                        new Shapes.OnAText(),
                        new Shapes.OnIntegers(),
                        new Shapes.OnKeysOfAnotherType(),
                        new Shapes.OnAnOptionalLong(),
                        new Shapes.OnAnAtomicLong(),
                        new Shapes.OnABean())
                .flatMap(shape -> everywhere().stream()
                        .map(library -> Arguments.of(library, shape, "{\"id\":\"5\"}", misplaced)));
    }

    static Stream<Arguments> refusedInReferences() {
        return Stream.of(
                        new Shapes.Referenced(),
                        new Shapes.ReferencedByAnInheritedId(),
                        new Shapes.ReferencedRecord(5),
                        new Shapes.ReferencedFromAProperty(),
                        new Shapes.ReferencedAlways(),
                        new Shapes.ReferencedAlwaysByAnInheritedId())
                .flatMap(shape -> (shape instanceof Shapes.ReferencedFromAProperty
                                        || shape instanceof Shapes.ReferencedAlwaysByAnInheritedId
                                ? jacksonWithModules()
                                : everyJackson())
                        .stream()
                                .map(library -> Arguments.of(
                                        library,
                                        shape,
                                        "{\"id\":\"5\"}",
                                        "which @JsonIdentityInfo makes a reference to its object")));
    }

    static Stream<Arguments> refusedOnAnyProperties() {
        return Stream.of(new Shapes.OnAnyProperties(), new Shapes.OnAMapOfAnyProperties())
                .flatMap(shape -> everyJackson().stream()
                        .map(library -> Arguments.of(
                                library,
                                shape,
                                "{\"id\":5}",
                                "which @JsonAnyGetter or @JsonAnySetter makes properties of any name")));
    }

    /** Jackson does not look there, and shows it to its modules only. */
    static Stream<Arguments> refusedOnParameters() {
        return Stream.of(
                        Arguments.of(
                                new Shapes.OnTheParameterOfAnAnySetter(),
                                "{\"id\":5}",
                                "#add(2 params), which @JsonAnyGetter or @JsonAnySetter makes properties of any name"),
                        Arguments.of(
                                new Shapes.OnTheParameterOfASetter(),
                                "{\"id\":5}",
                                "@SnowflakeText stands on the parameter of "
                                        + Shapes.OnTheParameterOfASetter.class.getName()
                                        + "#setId(long), where Jackson does not look for it. Put it on the method or on the field."),
                        Arguments.of(
                                new Shapes.DelegatingBesideAnUnmarkedValue(List.of(5L)),
                                "[\"5\"]",
                                "@SnowflakeText stands on the parameter of a creator of "
                                        + Shapes.DelegatingBesideAnUnmarkedValue.class.getName()
                                        + ", and not on its @JsonValue, which would be written as numbers. Put it there too."))
                .flatMap(row -> jacksonWithModules().stream()
                        .map(library -> Arguments.of(library, row.get()[0], row.get()[1], row.get()[2])));
    }

    @ParameterizedTest
    @MethodSource({"refused", "refusedInReferences", "refusedOnAnyProperties", "refusedOnParameters"})
    void isRefusedWithAReason(JsonLibrary library, Object shape, String json, String reason) {
        assertThatThrownBy(() -> library.write(shape)).hasStackTraceContaining(reason);
        assertThatThrownBy(() -> library.read(json, shape.getClass())).hasStackTraceContaining(reason);
    }

    /** Nothing has to choose between them. */
    @Test
    void aClassWithTwoSettersIsWritten() throws Exception {
        for (Named<JsonLibrary> library : everyJackson()) {
            assertThat(library.getPayload().write(new TwoSetters())).isEqualTo("{\"id\":\"5\",\"tags\":[]}");
        }
    }

    public static class TwoSetters {
        @SnowflakeText
        public long id = 5;

        public List<String> getTags() {
            return List.of();
        }

        public void setTags(Map<String, String> unused) {}

        public void setTags(Set<String> unused) {}
    }

    /** What is written has no annotation there, and what is read has nothing to be written. */
    @Test
    void isRefusedWhenItIsRead() {
        for (Named<JsonLibrary> library : jacksonWithModules()) {
            assertThatThrownBy(() -> library.getPayload().read("{\"id\":5}", Shapes.OnTheParameterOfABuilder.class))
                    .hasStackTraceContaining("@SnowflakeText stands on the parameter of "
                            + Shapes.OnTheParameterOfABuilder.Builder.class.getName()
                            + "#id(long), where Jackson does not look");
            assertThatThrownBy(() -> library.getPayload().read("\"5\"", Shapes.DelegatingFromAText.class))
                    .hasStackTraceContaining("@SnowflakeText stands on the parameter of a creator of "
                            + Shapes.DelegatingFromAText.class.getName() + ", which is neither a long or Long");
        }
    }

    @Test
    void aCreatorWithOneParameterReadsTextOnly() throws Exception {
        for (Named<JsonLibrary> library : jacksonWithModules()) {
            JsonLibrary jackson = library.getPayload();
            assertThat(jackson.read(TEXT, Shapes.DelegatingAlone.class).id()).isEqualTo(ID);
            assertThat(jackson.read("\"" + SnowflakeFormat.HEX.format(ID) + "\"", Shapes.DelegatingByAMethodAlone.class)
                            .id())
                    .isEqualTo(ID);
            for (Class<?> shape : List.of(Shapes.DelegatingAlone.class, Shapes.DelegatingByAMethodAlone.class)) {
                for (String bad : List.of("5", "5.0", "true", "\"+5\"", "[\"5\"]")) {
                    assertThatThrownBy(() -> jackson.read(bad, shape)).as(bad).hasStackTraceContaining("is not an id");
                }
            }
        }
    }

    // it read rounded numbers
    @Test
    void aBuilderWithoutTheAnnotationIsRefusedWhenItsClassIsWrittenWithoutTheModule() {
        for (Named<JsonLibrary> library : jackson()) {
            String module = "SnowflakeJackson" + library.getName().substring("Jackson ".length()) + "Module";
            assertThatThrownBy(() -> library.getPayload()
                            .write(new Shapes.Built.Builder().id(ID).build()))
                    .hasMessageContaining("@SnowflakeText stands on ")
                    .hasMessageContaining("Shapes$Built")
                    .hasMessageContaining(", and Jackson reads it through " + Shapes.Built.Builder.class.getName()
                            + ", where the annotation is not: it would read numbers. Register " + module
                            + ", or put the annotation on the builder's property too.");
        }
    }
}
