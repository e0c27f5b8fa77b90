// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;

class ServerUrlTest {
    private static final Key<String> KEY = Key.addressWithoutCredentials("snowflake.test.urls", "URLs", "Set a user.")
            .meaning("The servers.");

    private final SettingsReader reader =
            new SettingsReader("orders", Map.of(KEY.name(), "as the reader shows it")::get);

    private static List<ServerUrl> several(SettingsReader reader, String text) {
        return ServerUrl.several(
                reader,
                KEY,
                text,
                part -> ServerUrl.of(part, ServerUrl.HTTP, 80),
                part -> "a URL. Write another than " + part + ".");
    }

    @ParameterizedTest
    @CsvSource({
        "http://one, http://one:80",
        "HTTPS://one:1/, https://one:1",
        "http://[::1]/path/, http://[::1]:80/path/",
        "http://my_server/path, http://my_server:80/path",
    })
    void isReadWithItsPortAndPath(String text, String expected) {
        assertThat(ServerUrl.of(text, ServerUrl.HTTP, 80))
                .map(ServerUrl::toString)
                .contains(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "one",
                "one:80",
                "ftp://one",
                "http://one?a=b",
                "http://one#a",
                "http://one:0",
                "http:one",
                "://"
            })
    void whatIsNotTheUrlOfAServerIsNotRead(String text) {
        assertThat(ServerUrl.of(text, ServerUrl.HTTP, 80)).isEmpty();
    }

    @Test
    void severalAreReadInTheirOrder() {
        assertThat(several(reader, "http://b, http://a:1")).hasToString("[http://b:80, http://a:1]");
        assertThat(reader.problems()).isEmpty();
    }

    @Test
    void theFirstThatCannotBeReadIsNamedAndNoneIsRead() {
        assertThat(several(reader, "http://a, b ,c")).isEmpty();

        assertThat(reader.problems())
                .containsExactly(
                        "snowflake 'orders': snowflake.test.urls=as the reader shows it holds 'b', which is not a"
                                + " URL. Write another than b.");
    }

    @Test
    void schemesThatDifferAreRefused() {
        ServerUrl.requireOneScheme(reader, KEY, several(reader, "http://a,http://b"));
        assertThat(reader.problems()).isEmpty();

        ServerUrl.requireOneScheme(reader, KEY, several(reader, "http://a,https://b"));
        assertThat(reader.problems()).singleElement().asString().contains("mixes http and https");
    }
}
