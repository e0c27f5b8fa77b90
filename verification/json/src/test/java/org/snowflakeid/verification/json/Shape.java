// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;

/** An object with ids, and its JSON. */
record Shape(Object object, String json) {

    static final long ID = 911_852_594_806_915_072L;
    private static final String TEXT = "\"911852594806915072\"";
    private static final ObjectMapper TREES = new ObjectMapper();
    private static final List<String> NO_IDS = List.of(
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
            "\"9223372036854775808\"");

    /** @param pattern quoted by ', with ID for the text of the id */
    static Shape of(Object object, String pattern) {
        return new Shape(object, pattern.replace('\'', '"').replace("ID", TEXT));
    }

    String name() {
        return object.getClass().getSimpleName();
    }

    void isTextBothWays(Mapper mapper) throws Exception {
        // Jackson 3 sorts properties.
        assertThat(TREES.readTree(mapper.write(object))).isEqualTo(TREES.readTree(json));
        assertThat(mapper.read(json, object.getClass()))
                .usingRecursiveComparison()
                .isEqualTo(object);
        for (String bad : NO_IDS) {
            // Keys of an object are texts.
            if (bad.startsWith("\"") || !json.contains(TEXT + ":")) {
                assertThatThrownBy(() -> mapper.read(json.replace(TEXT, bad), object.getClass()))
                        .as(bad)
                        .hasStackTraceContaining("is not an id");
            }
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
