// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import java.util.logging.Level;
import org.eclipse.microprofile.config.ConfigProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.snowflakeid.Snowflake;
import org.snowflakeid.cdi.SnowflakeName;

class MemoryInTestsTest extends WithApplication {

    @RegisterExtension
    static final Extension APPLICATION = application()
            .withApplicationRoot(root -> root.addClasses(Orders.class, Http.class))
            .overrideRuntimeConfigKey("snowflake.window", "PT30S")
            .overrideRuntimeConfigKey("quarkus.http.test-port", String.valueOf(Http.freePort()))
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
        assertThat(Http.get(port(), "/orders")).matches("\\{\"id\":\"\\d+\"}");
    }

    // Quarkus did not give Jackson our module, and 5 was read
    @Test
    void aTypeOfItsOwnForAnIdIsReadFromTextOnly() {
        assertThat(Http.post(port(), "/orders/own", "\"5\"").body()).isEqualTo("\"5\"");
        assertThat(Http.post(port(), "/orders/own", "5").statusCode()).isEqualTo(400);
    }

    @Test
    void quarkusOwnKindOfInstanceIsAnInjectionPoint() {
        assertThat(Http.get(port(), "/orders/receipt")).isEqualTo("receipts");
    }

    @Test
    void thePageOfGeneratorsIsThereInDevModeOnly() {
        assertThat(Http.get(port(), "/q/snowflake")).doesNotContain("memory");
    }

    /** The one that was chosen before the application started, by this class in another class loader. */
    private static int port() {
        return ConfigProvider.getConfig().getValue("quarkus.http.test-port", Integer.class);
    }
}
