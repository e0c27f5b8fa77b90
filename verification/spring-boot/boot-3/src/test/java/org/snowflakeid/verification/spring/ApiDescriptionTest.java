// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What springdoc says of an id that is text. */
class ApiDescriptionTest {

    private static final String DECIMAL = "\"pattern\":\"^(0|[1-9][0-9]{0,18})$\"";

    private static String schema(String description, String before) {
        Matcher schema = Pattern.compile(Pattern.quote(before) + "\\{([^{}]|\\{[0-9,]+})*}")
                .matcher(description);
        assertThat(schema.find()).as(before + " in " + description).isTrue();
        return schema.group();
    }

    @ParameterizedTest
    @ValueSource(strings = {"openapi_3_0", "openapi_3_1"})
    void idsAreStringsWithPatternAndExample(String version) throws Exception {
        try (RunningApplication application = RunningApplication.start("springdoc.api-docs.version=" + version)) {
            String description = application.get("/v3/api-docs").body();
            Map<String, String> schemas = Map.of(
                    "a property", schema(description, "\"properties\":{\"id\":"),
                    "a nullable one", schema(description, "\"parent\":"),
                    "in the path", schema(description, "\"name\":\"id\",\"in\":\"path\",\"required\":true,\"schema\":"),
                    "in a list", schema(description, "\"items\":{\"type\":\"array\",\"items\":"),
                    "in lists of a map",
                            schema(
                                    description,
                                    "\"shelves\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"array\",\"items\":"),
                    "in a list of a parameter",
                            schema(
                                    description,
                                    "\"in\":\"query\",\"required\":false,\"schema\":{\"type\":\"array\",\"items\":"),
                    "a header", schema(description, "\"in\":\"header\",\"required\":false,\"schema\":"));

            assertThat(schemas).allSatisfy((place, schema) -> assertThat(schema)
                    .as(place)
                    .contains("\"string\"", "\"example\":\"")
                    .doesNotContain("int64", "integer"));
            for (String numbers : List.of(
                    "\"amounts\":{\"type\":\"object\",\"additionalProperties\":",
                    "\"prices\":{\"type\":\"array\",\"items\":")) {
                assertThat(schema(description, numbers)).contains("integer");
            }
            assertThat(schemas.get("a property")).contains(DECIMAL, "\"example\":\"911852594806915072\"");
            assertThat(schemas.get("a header")).contains(DECIMAL);
            assertThat(description).contains("\"pattern\":\"^[0-9a-f]{16}$\"", "\"example\":\"0ca78d1a90fc0000\"");
            assertThat(schema(description, "\"name\":\"number\",\"in\":\"path\",\"required\":true,\"schema\":"))
                    .contains("integer", "int64");
        }
    }
}
