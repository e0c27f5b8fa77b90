// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostAndPortTest {

    @ParameterizedTest
    @CsvSource({
        "http://one.example, one.example:2379",
        "http://one.example:1, one.example:1",
        "http://one:65535/, one:65535",
        "http://[::1]:80/path, [::1]:80",
        "http://10.0.0.1, 10.0.0.1:2379",
        "http://my_server, my_server:2379",
        "http://my_server:8080/path, my_server:8080",
    })
    void isWhatTheUrlNames(URI url, String expected) {
        assertThat(HostAndPort.of(url, 2379)).map(HostAndPort::toString).contains(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http:///path",
                "mailto:name",
                "http://one:0",
                "http://one:65536",
                "http://my_server:0",
                "http://my_server:65536",
                "http://my_server:",
                "http://user@my_server",
                "http://one:two"
            })
    void isEmptyWhereTheUrlNamesNone(URI url) {
        assertThat(HostAndPort.of(url, 2379)).isEmpty();
    }
}
