// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import java.time.Duration;
import java.util.Map;
import org.snowflakeid.testservers.NacosServer;
import org.snowflakeid.testservers.ProxiedServer;

/** A real Nacos behind a proxy that can be cut. */
final class NacosFixture {
    private NacosFixture() {}

    /**
     * It tells the time in whole seconds: what lasts three of them ends after two and a bit at times. And it is slow on a busy machine, which has
     * to do several dozen requests within what is briefest.
     */
    static ProxiedServer start() {
        return new ProxiedServer(
                new NacosCoordinatorProvider(),
                NacosServer.start(),
                port -> Map.of("snowflake.nacos.server-addr", "127.0.0.1:" + port),
                Duration.ofMillis(2_500));
    }
}
