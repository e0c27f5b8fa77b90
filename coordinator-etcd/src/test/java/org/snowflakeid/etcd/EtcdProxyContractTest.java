// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.snowflakeid.tck.WorkerCoordinatorContract;
import org.snowflakeid.testservers.EtcdProxy;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.ProxiedServer;

/** Through {@code etcd grpc-proxy}, in a namespace of its own. */
class EtcdProxyContractTest extends WorkerCoordinatorContract {
    private static final EtcdServer ETCD = EtcdServer.start();
    private static final ProxiedServer PROXY = new ProxiedServer(
            new EtcdCoordinatorProvider(),
            EtcdProxy.ofRequests(ETCD, "--namespace=/tenant"),
            port -> Map.of("snowflake.etcd.endpoints", "http://127.0.0.1:" + port),
            Duration.ofSeconds(1));

    EtcdProxyContractTest() {
        super(PROXY);
    }

    @AfterAll
    static void stopServer() {
        PROXY.close();
        ETCD.close();
    }
}
