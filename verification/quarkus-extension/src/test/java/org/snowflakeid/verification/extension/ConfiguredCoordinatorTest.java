// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.QuarkusExtensionTest;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.snowflakeid.Snowflake;

class ConfiguredCoordinatorTest {

    @RegisterExtension
    static final QuarkusExtensionTest APPLICATION = new QuarkusExtensionTest()
            .withEmptyApplication()
            .overrideRuntimeConfigKey("quarkus.http.test-port", "0")
            .overrideRuntimeConfigKey("snowflake.coordinator", "static")
            .overrideRuntimeConfigKey("snowflake.static.worker-id", "7");

    @Inject
    Snowflake ids;

    @Test
    void aCoordinatorThatTheConfigurationNamesIsKept() {
        assertThat(ids.status().coordinator()).isEqualTo("static");
        assertThat(ids.status().workerIds()).containsExactly(7);
    }
}
