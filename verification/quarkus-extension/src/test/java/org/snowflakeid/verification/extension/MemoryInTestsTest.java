// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.QuarkusExtensionTest;
import jakarta.inject.Inject;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.snowflakeid.Snowflake;
import org.snowflakeid.cdi.SnowflakeName;

class MemoryInTestsTest {

    @RegisterExtension
    static final QuarkusExtensionTest APPLICATION = new QuarkusExtensionTest()
            .withApplicationRoot(root -> root.addClasses(Orders.class, Http.class))
            .overrideRuntimeConfigKey("snowflake.window", "PT30S")
            .setLogRecordPredicate(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
            .assertLogRecords(records -> assertThat(records)
                    .extracting(entry -> entry.getLoggerName() + ": " + entry.getMessage())
                    .noneMatch(line -> line.contains("snowflake") || line.contains("configuration key")));

    @Inject
    Snowflake ids;

    @Inject
    @SnowflakeName("invoices")
    Snowflake invoiceIds;

    @Test
    void aTestNeedsNoCoordinatorAndNoSetting() {
        assertThat(ids.nextId()).isPositive();
        assertThat(ids.status().coordinator()).isEqualTo("memory");
        assertThat(invoiceIds.status().coordinator()).isEqualTo("memory");
    }

    @Test
    void idsAreTextInTheJsonThatQuarkusWrites() {
        assertThat(Http.get(8081, "/orders")).matches("\\{\"id\":\"\\d+\"}");
    }

    @Test
    void thePageOfGeneratorsIsThereInDevModeOnly() {
        assertThat(Http.get(8081, "/q/snowflake")).doesNotContain("memory");
    }
}
