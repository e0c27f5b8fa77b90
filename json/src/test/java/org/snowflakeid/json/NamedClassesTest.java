// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snowflakeid.SnowflakeFormat;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.json.JsonMapper;

/** Mappers that write the name of its class beside each value, as caches have them: writing failed. */
class NamedClassesTest {

    private static final long ID = 911_852_594_806_915_072L;
    private static final String TEXT = "\"911852594806915072\"";

    private static JsonLibrary jackson2(ObjectMapper.DefaultTyping typing) {
        ObjectMapper mapper = new ObjectMapper().registerModule(new SnowflakeJackson2Module());
        mapper.activateDefaultTyping(
                com.fasterxml.jackson.databind.jsontype.BasicPolymorphicTypeValidator.builder()
                        .allowIfSubType(Object.class)
                        .build(),
                typing,
                JsonTypeInfo.As.PROPERTY);
        return new JsonLibrary() {
            @Override
            public String write(Object value) throws Exception {
                return mapper.writeValueAsString(value);
            }

            @Override
            public <T> T read(String json, Class<T> type) throws Exception {
                return mapper.readValue(json, type);
            }
        };
    }

    private static JsonLibrary jackson3(DefaultTyping typing) {
        JsonMapper mapper = JsonMapper.builder()
                .addModule(new SnowflakeJackson3Module())
                .activateDefaultTyping(
                        tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator.builder()
                                .allowIfSubType(Object.class)
                                .build(),
                        typing,
                        JsonTypeInfo.As.PROPERTY)
                .build();
        return new JsonLibrary() {
            @Override
            public String write(Object value) {
                return mapper.writeValueAsString(value);
            }

            @Override
            public <T> T read(String json, Class<T> type) {
                return mapper.readValue(json, type);
            }
        };
    }

    @SuppressWarnings("deprecation") // Caches use it.
    private static List<JsonLibrary> libraries() {
        return List.of(
                jackson2(ObjectMapper.DefaultTyping.NON_FINAL),
                jackson2(ObjectMapper.DefaultTyping.EVERYTHING),
                jackson3(DefaultTyping.NON_FINAL),
                jackson3(DefaultTyping.NON_FINAL_AND_ENUMS));
    }

    static Stream<Named<Object>> shapes() {
        Map<String, Named<Object>> byName = new LinkedHashMap<>();
        // Jackson itself refuses the name of a class in an unwrapped object.
        ShapesTest.right()
                .filter(row -> !row.get()[1].toString().contains("Unwrapped"))
                .forEach(row -> {
                    @SuppressWarnings("unchecked")
                    Named<Object> shape = (Named<Object>) row.get()[1];
                    byName.put(shape.getName(), shape);
                });
        return byName.values().stream();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void idsAreTextBesideTheNameOfTheirObjectsClass(Object shape) throws Exception {
        for (JsonLibrary library : libraries()) {
            String written = library.write(shape);

            assertThat(library.read(written, shape.getClass()))
                    .as(written)
                    .usingRecursiveComparison()
                    .isEqualTo(shape);
            if (written.contains(TEXT) && !written.contains(TEXT + ":")) {
                assertThatThrownBy(() -> library.read(written.replace(TEXT, "911852594806915072"), shape.getClass()))
                        .as(written)
                        .hasStackTraceContaining("is not an id");
            }
        }
    }

    @Test
    void anIdOfATypeOfItsOwnHasTheNameOfThatType() throws Exception {
        for (JsonLibrary library : libraries()) {
            Object[] ids = {new Shapes.OrderId(ID), new Shapes.HexOrderId(ID), new Shapes.HexByItsGetter(ID)};

            String written = library.write(ids);

            assertThat(written).contains(TEXT).contains("\"" + SnowflakeFormat.HEX.format(ID) + "\"");
            for (Object id : ids) {
                assertThat(library.read(library.write(id), id.getClass()))
                        .usingRecursiveComparison()
                        .isEqualTo(id);
            }
        }
    }
}
