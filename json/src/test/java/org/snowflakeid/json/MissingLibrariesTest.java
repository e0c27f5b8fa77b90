// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An application has one JSON library, and the annotation names three. */
class MissingLibrariesTest {

    @ParameterizedTest
    @CsvSource({
        "JsonB,    jakarta.json.bind.Jsonb,                         jackson",
        "Jackson2, com.fasterxml.jackson.databind.ObjectMapper,     'tools,bind-api,yasson'",
        "Jackson3, tools.jackson.databind.ObjectMapper,             'fasterxml/jackson/core/jackson-core,fasterxml/jackson/core/jackson-databind,bind-api,yasson'"
    })
    void oneLibraryIsEnough(String library, String present, String missing) throws Exception {
        try (var alone = without(List.of(missing.split(",", -1)))) {
            for (String type : List.of(
                    "jakarta.json.bind.Jsonb",
                    "com.fasterxml.jackson.databind.ObjectMapper",
                    "tools.jackson.databind.ObjectMapper")) {
                if (type.equals(present)) {
                    assertThat(alone.loadClass(type)).isNotNull();
                } else {
                    assertThatThrownBy(() -> alone.loadClass(type)).isInstanceOf(ClassNotFoundException.class);
                }
            }

            @SuppressWarnings("unchecked")
            Callable<String> roundTrip = (Callable<String>) alone.loadClass(RoundTrip.class.getName())
                    .getConstructor(String.class)
                    .newInstance(library);

            assertThat(inItsContext(alone, roundTrip)).isEqualTo("AnOrder[id=911852594806915072]");
        }
    }

    private static String inItsContext(ClassLoader loader, Callable<String> call) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return call.call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URLClassLoader without(List<String> missing) throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : Pattern.compile(File.pathSeparator).split(System.getProperty("java.class.path"), -1)) {
            if (missing.stream().noneMatch(entry::contains)) {
                urls.add(new File(entry).toURI().toURL());
            }
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    public record AnOrder(@SnowflakeText long id) {}

    /** Runs inside the other class loader. */
    public static final class RoundTrip implements Callable<String> {

        private final String library;

        public RoundTrip(String library) {
            this.library = library;
        }

        @Override
        public String call() throws Exception {
            JsonLibrary chosen = Class.forName("org.snowflakeid.json." + library)
                    .asSubclass(JsonLibrary.class)
                    .getDeclaredConstructor()
                    .newInstance();
            String json = chosen.write(new AnOrder(911_852_594_806_915_072L));
            assertThat(json).isEqualTo("{\"id\":\"911852594806915072\"}");
            return chosen.read(json, AnOrder.class).toString();
        }
    }
}
