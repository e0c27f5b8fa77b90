// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.QuarkusProdModeTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ProductionWithMemoryTest {

    @RegisterExtension
    static final QuarkusProdModeTest APPLICATION = new QuarkusProdModeTest()
            .withApplicationRoot(root -> root.addClass(Orders.class))
            .setApplicationName("production-with-memory")
            .overrideConfigKey("quarkus.http.port", "0")
            .overrideConfigKey("snowflake.coordinator", "memory")
            .setRun(true)
            .setExpectExit(true);

    @Test
    void failsToStartAndNamesTheRemedy() {
        assertThat(APPLICATION.getExitCode()).isNotZero();
        assertThat(APPLICATION.getStartupConsoleOutput())
                .contains("snowflake 'default': snowflake.coordinator=memory is there in dev mode and in tests only."
                        + " For production add the artifact of another coordinator");
    }
}
