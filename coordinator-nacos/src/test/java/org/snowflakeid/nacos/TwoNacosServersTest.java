// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.assertPermanent;
import static org.snowflakeid.tck.Node.await;

import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.RecordStore.Write;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.NacosServer;

/** Two real servers, each with a database of its own, that are named as if they were a cluster. */
@Tag("nightly")
class TwoNacosServersTest {

    @Test
    void areRefusedOnceTheNamespaceIsThere() {
        String namespace = Node.freshNamespace();
        String meta = namespace + "/meta";
        try (NacosServer first = NacosServer.start();
                NacosServer second = NacosServer.start();
                RecordStore store = store(namespace, first.address() + "," + second.address())) {
            assertThat(store.read(List.of(meta), TIMEOUT).entries()).isEmpty();
            assertThat(store.compareAndSet(meta, null, "id=a", TIMEOUT)).isInstanceOf(Write.Applied.class);

            assertPermanent(
                    catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of(meta), TIMEOUT)),
                    first.address(),
                    second.address(),
                    "have different records");
        }
    }

    @Test
    void areRefusedAlsoIfEachKnowsItsOwnLoginsOnly() {
        String namespace = Node.freshNamespace();
        String meta = namespace + "/meta";
        Map<String, String> login =
                Map.of("snowflake.nacos.user", "nacos", "snowflake.nacos.password", "administrator");
        try (NacosServer first = withUsers("c25vd2ZsYWtlLXNub3dmbGFrZS1zbm93Zmxha2Utc25vd2ZsYWtlLTE=");
                NacosServer second = withUsers("YXBwbGUtYXBwbGUtYXBwbGUtYXBwbGUtYXBwbGUtYXBwbGUtYXBwbGU=");
                RecordStore store = store(namespace, first.address() + "," + second.address(), login)) {
            await(
                    PATIENCE,
                    () -> catchThrowable(() -> assertThat(store.compareAndSet(meta, null, "id=a", TIMEOUT))
                                    .isInstanceOf(Write.Applied.class))
                            == null);

            assertPermanent(
                    catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of(meta), TIMEOUT)),
                    first.address(),
                    second.address(),
                    "have different records");
        }
    }

    private static NacosServer withUsers(String keyOfTokens) {
        NacosServer server = NacosServer.builder()
                .users()
                .configure("nacos.core.auth.plugin.nacos.token.secret.key", keyOfTokens)
                .start();
        String unused = server.post("/v3/auth/user/admin", "password=administrator", "");
        await(PATIENCE, () -> {
            try {
                return server.post("/v3/auth/user/login", "username=nacos&password=administrator", "")
                        .contains("accessToken");
            } catch (UncheckedIOException notYet) {
                return false;
            }
        });
        return server;
    }

    @Test
    void ofWhichOneIsAwayAreUsed() {
        String namespace = Node.freshNamespace();
        String meta = namespace + "/meta";
        String away;
        try (NacosServer stopped = NacosServer.start()) {
            away = stopped.address();
        }
        try (NacosServer server = NacosServer.start();
                RecordStore store = store(namespace, server.address() + "," + away)) {
            assertThat(store.compareAndSet(meta, null, "id=a", TIMEOUT)).isInstanceOf(Write.Applied.class);

            assertThat(store.read(List.of(meta), TIMEOUT).entries()).containsOnlyKeys(meta);
        }
    }

    private static RecordStore store(String namespace, String addresses) {
        return store(namespace, addresses, Map.of());
    }

    private static RecordStore store(String namespace, String addresses, Map<String, String> more) {
        Map<String, String> keys = new HashMap<>(more);
        keys.put("snowflake.nacos.server-addr", addresses);
        return new NacosStore(new NacosSettings(new CoordinatorConfig("orders", namespace, TIMEOUT, keys::get)));
    }
}
