// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.ConsulServer;
import org.snowflakeid.testservers.RunningGenerator;
import org.snowflakeid.testservers.TcpProxy;

/** The address of a running process leads to an agent of another datacenter, which has records of its own. */
class ConsulPlacesTest {

    // it was taken for lost data, and ids stopped for good
    @Test
    void agentOfAnotherDatacenterIsAnOutageUnlessItForwards() {
        try (ConsulServer first = ConsulServer.start();
                ConsulServer other = ConsulServer.builder()
                        .configure("datacenter", "\"dc2\"")
                        .start();
                TcpProxy proxy = TcpProxy.to(first.clientPort());
                RunningGenerator ids = new RunningGenerator(Map.of(
                        "snowflake.consul.url",
                        "http://127.0.0.1:" + proxy.port(),
                        "snowflake.namespace",
                        Node.freshNamespace()))) {
            int workerId = ids.workerId();

            proxy.leadTo(other.clientPort());
            proxy.cut();

            ids.awaitStop("knows no way to datacenter 'dc1', whose records are used", "snowflake.consul.url");
            assertThat(other.consul("kv", "export").strip()).isEqualTo("[]");

            proxy.leadTo(first.clientPort());
            proxy.cut();

            ids.awaitIds();

            // Servers that know each other's datacenters forward what is asked.
            other.joinDatacenterOf(first);
            proxy.leadTo(other.clientPort());
            proxy.cut();

            ids.awaitExtension();
            ids.awaitExtension();
            assertThat(ids.workerId()).isEqualTo(workerId);
            assertThat(other.consul("kv", "export").strip()).isEqualTo("[]");
        }
    }
}
