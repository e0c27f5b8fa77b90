// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.RunningGenerator;
import org.snowflakeid.testservers.kubernetes.MockApiServer;

/** The namespace of Kubernetes in which a running process has its leases is deleted, and created anew. */
class KubernetesPlacesTest {

    @Test
    void aDeletedNamespaceStopsIdsAndNothingIsCreatedThereBeforeARestart() {
        try (MockApiServer server = MockApiServer.startEncrypted()) {
            Map<String, String> keys = new HashMap<>(server.settings());
            keys.put("snowflake.namespace", Node.freshNamespace());
            try (RunningGenerator ids = new RunningGenerator(keys)) {
                server.deleteNamespace();

                ids.awaitStop("lost its record (meta)", "Restore it", "then restart");
                assertThatThrownBy(() -> new RunningGenerator(keys))
                        .isInstanceOf(CoordinatorException.class)
                        .hasMessageContaining(
                                "has no namespace 'apps'. Create it, or check snowflake.kubernetes.namespace");
                int creations = creations(server);

                server.createNamespace();

                ids.awaitStop("lost its record (meta)");
                assertThat(creations(server)).isEqualTo(creations);
            }
        }
    }

    private static int creations(MockApiServer server) {
        return (int) server.requests().stream().filter("create leases"::equals).count();
    }
}
