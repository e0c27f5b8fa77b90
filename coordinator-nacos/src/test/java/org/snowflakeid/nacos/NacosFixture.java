// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import java.time.Duration;
import java.util.Map;
import org.snowflakeid.testservers.NacosServer;
import org.snowflakeid.testservers.ProxiedServer;

/** One real Nacos for all classes that do it no harm, since its start takes as long as most of them. It ends with this JVM. */
final class NacosFixture {
    static final NacosServer SERVER = NacosServer.start();

    /** Nacos tells the time in whole seconds: what lasts three of them ends after two and a bit at times. */
    static final ProxiedServer PROXIED = new ProxiedServer(
            new NacosCoordinatorProvider(),
            SERVER,
            port -> Map.of("snowflake.nacos.server-addr", "127.0.0.1:" + port),
            Duration.ofMillis(1_500));

    private NacosFixture() {}
}
