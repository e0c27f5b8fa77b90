// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.smallrye.openapi.api.SmallRyeOpenAPI;
import org.jboss.jandex.Index;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.json.SnowflakeText;

/** Ids that are text on the wire are a string in what SmallRye OpenAPI describes. */
class SmallRyeTest {

    private static JsonNode description;

    @BeforeAll
    static void describes() throws Exception {
        // With the annotations themselves, as at an application's build or start.
        Index index = Index.of(
                DocumentedResource.class,
                DocumentedResource.Order.class,
                DocumentedResource.Item.class,
                SnowflakeText.class,
                org.snowflakeid.rest.SnowflakeText.class);
        description = new ObjectMapper()
                .readTree(SmallRyeOpenAPI.builder().withIndex(index).build().toJSON());
    }

    private static void isText(JsonNode schema) {
        assertThat(schema.path("type").toString())
                .as(schema.toString())
                .contains("string")
                .doesNotContain("integer");
        assertThat(schema.path("pattern").asText()).isEqualTo("^[0-9A-Za-z]{1,19}$");
        String example = schema.path("example").isMissingNode()
                ? schema.path("examples").path(0).asText()
                : schema.path("example").asText();
        assertThat(example).matches(schema.path("pattern").asText());
        assertThat(SnowflakeFormat.DECIMAL.parse(example)).isPositive();
        assertThat(schema.has("format")).isFalse();
    }

    private static JsonNode parameter(String path, String name) {
        for (JsonNode parameter :
                description.path("paths").path(path).path("get").path("parameters")) {
            if (parameter.path("name").asText().equals(name)) {
                return parameter.path("schema");
            }
        }
        throw new AssertionError(name + " is no parameter of " + path + " in " + description);
    }

    @Test
    void aPropertyIsText() {
        JsonNode order =
                description.path("components").path("schemas").path("Order").path("properties");

        isText(order.path("id"));
        isText(order.path("replaces"));
        isText(description
                .path("components")
                .path("schemas")
                .path("Item")
                .path("properties")
                .path("id"));
        assertThat(order.path("quantity").path("type").toString()).contains("integer");
    }

    @Test
    void aParameterIsText() {
        isText(parameter("/orders/{id}", "id"));
        isText(parameter("/orders/items/{id}", "id"));
        assertThat(parameter("/orders/{id}", "quantity").path("type").toString())
                .contains("integer");
    }
}
