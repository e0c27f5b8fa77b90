// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import java.time.Duration;
import java.util.Map;
import org.snowflakeid.testservers.ConsulServer;
import org.snowflakeid.testservers.ProxiedServer;

/** A real Consul behind a proxy that can be cut. */
final class ConsulFixture {
    private ConsulFixture() {}

    /** It tells the time in whole seconds: what lasts three of them ends after two and a bit at times. */
    static ProxiedServer start() {
        return new ProxiedServer(
                new ConsulCoordinatorProvider(),
                ConsulServer.start(),
                port -> Map.of("snowflake.consul.url", "http://127.0.0.1:" + port),
                Duration.ofMillis(1_500));
    }
}
