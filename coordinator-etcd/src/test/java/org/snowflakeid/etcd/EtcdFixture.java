// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import java.time.Duration;
import java.util.Map;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.ProxiedServer;

/** A real etcd behind a proxy that can be cut. */
final class EtcdFixture {
    private EtcdFixture() {}

    static ProxiedServer start() {
        return new ProxiedServer(
                new EtcdCoordinatorProvider(),
                EtcdServer.start(),
                port -> Map.of("snowflake.etcd.endpoints", "http://127.0.0.1:" + port),
                Duration.ofSeconds(1));
    }
}
