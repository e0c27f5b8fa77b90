// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.testservers.ConsulServer;
import org.snowflakeid.testservers.NacosServer;
import org.snowflakeid.testservers.TestServer;

/** The operator's command on stores that compare and set one record at a time. */
class ConsulAndNacosTest {

    private static Map<String, String> at(ConsulServer consul) {
        return Map.of("snowflake.coordinator", "consul", "snowflake.consul.url", consul.url());
    }

    private static Map<String, String> at(NacosServer nacos) {
        return Map.of("snowflake.coordinator", "nacos", "snowflake.nacos.server-addr", nacos.address());
    }

    @Test
    void consulThatLostEverythingIsRestored() {
        Scene.unlessTooLate(() -> {
            try (ConsulServer consul = ConsulServer.start()) {
                losesEverythingAndIsRestored(consul, at(consul));
            }
        });
    }

    @Test
    void nacosThatLostEverythingIsRestored() {
        Scene.unlessTooLate(() -> {
            try (NacosServer nacos = NacosServer.start()) {
                losesEverythingAndIsRestored(nacos, at(nacos));
            }
        });
    }

    private static void losesEverythingAndIsRestored(TestServer server, Map<String, String> settings) {
        try (Scene scene =
                new Scene("lost-" + settings.get("snowflake.coordinator"), settings, Duration.ofSeconds(10))) {
            Scene.Issuer one = scene.start("one", 0);
            one.awaitExtension();
            Session status = scene.command("status");
            assertThat(status.exitCode()).as(status.all()).isZero();
            assertThat(status.out()).contains(settings.get("snowflake.coordinator"), "active");

            server.kill();
            server.wipe();
            server.startAgain();
            server.awaitHealthy();

            one.requireNoticed(Instant.now(), "lost its record (meta)");
            scene.restore("--accept", "lost-record");
            scene.start("after", 0).awaitExtension();
            scene.requireNoDuplicate();
        }
    }

    @Test
    void movesFromConsulToNacos() {
        try (ConsulServer consul = ConsulServer.start();
                NacosServer nacos = NacosServer.start();
                Scene scene = new Scene("move-consul", at(consul))) {
            Scene.Issuer before = scene.start("before", at(consul), 0, "create");
            before.awaitExtension();

            scene.move(at(consul), at(nacos));

            scene.start("after", at(nacos), 0, "require").awaitExtension();
            before.requireStopped("was retired: it moved to nacos:");
            scene.requireNoDuplicate();
        }
    }
}
