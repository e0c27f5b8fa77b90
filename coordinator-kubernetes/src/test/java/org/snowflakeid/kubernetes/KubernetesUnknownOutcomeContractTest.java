// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.snowflakeid.tck.Node;
import org.snowflakeid.tck.UnknownOutcomeContract;
import org.snowflakeid.testservers.TcpProxy;
import org.snowflakeid.testservers.kubernetes.MockApiServer;

/** What becomes of writes whose answers are lost on the way from Kubernetes. What is written is encrypted: the server tells when it has come. */
class KubernetesUnknownOutcomeContractTest extends UnknownOutcomeContract {
    private static final Set<String> WRITES = Set.of("create leases", "update leases");

    private final MockApiServer server = MockApiServer.startEncrypted();
    private final TcpProxy proxy = TcpProxy.to(server.port());

    private final Network network = new Network() {
        private long before;

        @Override
        public void holdAnswersFrom(String letters) {
            before = writes();
            server.beforeAnswer(() -> {
                if (writesSent() > 0) {
                    proxy.holdReplies();
                }
            });
        }

        @Override
        public long writesSent() {
            return writes() - before;
        }

        private long writes() {
            return server.requests().stream().filter(WRITES::contains).count();
        }

        @Override
        public void cut() {
            proxy.cut();
        }

        @Override
        public void pass() {
            server.beforeAnswer(() -> {});
            proxy.pass();
        }

        @Override
        public void close() {
            proxy.close();
            server.close();
        }
    };

    @Override
    protected Node overTheNetwork(String namespace) {
        Map<String, String> settings = new HashMap<>(server.settings());
        settings.put("snowflake.kubernetes.url", "https://127.0.0.1:" + proxy.port());
        return new KubernetesNode(namespace, settings);
    }

    @Override
    protected Node beside(String namespace) {
        return new KubernetesNode(namespace, server.settings());
    }

    @Override
    protected Network network() {
        return network;
    }

    @Override
    protected String late() {
        return "does not answer within";
    }

    @Override
    protected String broken() {
        return "gave no answer";
    }
}
