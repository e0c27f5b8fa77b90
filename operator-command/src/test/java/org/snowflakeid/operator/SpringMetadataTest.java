// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SnowflakeKeys;

/**
 * By this file of the starter editors complete and explain keys in {@code application.properties}. It is written from the keys' declarations,
 * here, where all coordinators are on the class path, with {@code -Dconfiguration.page=write} as {@link ConfigurationPageTest} writes its page.
 */
class SpringMetadataTest {

    private static final Path FILE =
            Path.of("../spring-boot/src/main/resources/META-INF/spring-configuration-metadata.json");

    @Test
    void theFileIsWhatTheDeclarationsSay() throws IOException {
        String written = metadata();
        if (System.getProperty("configuration.page", "").equals("write")) {
            Files.writeString(FILE, written);
        }

        assertThat(Files.readString(FILE))
                .as(
                        "%s is not what the declarations say. With -Dconfiguration.page=write this test writes it anew.",
                        FILE)
                .isEqualTo(written);
    }

    private static String metadata() {
        JsonArray properties = new JsonArray();
        for (Key<?> key : SnowflakeKeys.all(SpringMetadataTest.class.getClassLoader())) {
            // Text whatever it is: Spring's own ideas of durations and the like don't count here.
            JsonObject property = property(key.name(), "java.lang.String", plain(key.meaning()));
            key.standard().ifPresent(value -> property.addProperty("defaultValue", value));
            properties.add(property);
        }
        properties.add(property(
                "snowflake.generators",
                "java.util.Map<java.lang.String,java.util.Map<java.lang.String,java.lang.String>>",
                "By the name of a generator: its own epoch, bits, worker ids, window, clock, burst and namespace."));
        JsonObject all = new JsonObject();
        all.add("properties", properties);
        return new GsonBuilder()
                        .setPrettyPrinting()
                        .disableHtmlEscaping()
                        .create()
                        .toJson(all) + "\n";
    }

    private static JsonObject property(String name, String type, String description) {
        JsonObject property = new JsonObject();
        property.addProperty("name", name);
        property.addProperty("type", type);
        property.addProperty("description", description);
        return property;
    }

    /** Without links and other marks of a page. */
    private static String plain(String text) {
        return text.replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1").replace("`", "");
    }
}
