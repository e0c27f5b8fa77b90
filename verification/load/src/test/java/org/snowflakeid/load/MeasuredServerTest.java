// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Those that {@link CoordinatorLoadTest} does not measure. */
@Tag("nightly")
class MeasuredServerTest {

    @ParameterizedTest
    @ValueSource(strings = {"redis", "postgresql", "mariadb", "consul", "nacos", "kubernetes"})
    void isReachedByItsSettings(String name) {
        try (MeasuredServer server = MeasuredServer.start(name)) {
            assertThat(Calls.measure(server, 1))
                    .filteredOn(figure -> figure.value().matches("\\d+\\.\\d\\d"))
                    .hasSize(4);
        }
    }
}
