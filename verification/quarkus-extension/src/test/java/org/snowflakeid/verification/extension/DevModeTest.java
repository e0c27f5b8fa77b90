// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.QuarkusDevModeTest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Public, since older versions of Quarkus make it themselves. */
public class DevModeTest {

    private static final String SETTINGS = "application.properties";
    private static final int PORT = Http.freePort();

    @RegisterExtension
    static final QuarkusDevModeTest APPLICATION = new QuarkusDevModeTest()
            .withApplicationRoot(root -> root.addClass(Orders.class)
                    .addAsResource(new StringAsset("snowflake.namespace=first\nquarkus.http.port=" + PORT), SETTINGS));

    @Test
    void needsNoCoordinatorAndOpensGeneratorsAnewWhenASettingChanges() {
        assertThat(Http.get(PORT, "/orders/status")).contains("memory", "namespace=first");
        String threads = Http.get(PORT, "/orders/threads");

        APPLICATION.modifyResourceFile(SETTINGS, settings -> settings.replace("first", "second"));

        assertThat(Http.get(PORT, "/orders/status")).contains("memory", "namespace=second");
        // A thread of the application that was replaced may be about to end.
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        String threadsNow = Http.get(PORT, "/orders/threads");
        while (!threadsNow.equals(threads) && System.nanoTime() < deadline) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            threadsNow = Http.get(PORT, "/orders/threads");
        }
        assertThat(threadsNow).isEqualTo(threads);
    }

    @Test
    void aPageShowsTheGenerators() {
        assertThat(Http.get(PORT, "/q/snowflake"))
                .containsPattern("<td>default</td><td>ACTIVE</td><td>\\d+</td><td>first</td><td>memory</td><td>20")
                .containsPattern("<td>invoices</td><td>ACTIVE</td><td>\\d+</td><td>first/invoices</td><td>memory</td>");
    }
}
