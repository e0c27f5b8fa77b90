// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.snowflakeid.Snowflake;

class ConfiguredCoordinatorTest extends WithApplication {

    @RegisterExtension
    static final Extension APPLICATION = application()
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
