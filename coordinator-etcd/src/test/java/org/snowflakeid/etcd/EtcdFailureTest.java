// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.spi.CoordinatorConfig;

/** Answers that no etcd of these tests gives. */
class EtcdFailureTest {

    private static final EtcdSettings SETTINGS = new EtcdSettings(new CoordinatorConfig(
            "orders",
            "snowflake",
            Duration.ofSeconds(60),
            Map.of("snowflake.etcd.endpoints", "http://localhost:2379")::get));

    // the words of a service mesh were left out, and the rights in etcd were to be checked
    @Test
    void aRefusalOfAProxyIsQuoted() {
        Status denied = Status.PERMISSION_DENIED.withDescription("RBAC: access denied");

        EtcdFailure failure = EtcdFailure.of(SETTINGS, denied.asRuntimeException(), true);

        assertThat(failure.exception())
                .hasMessage("etcd (http://localhost:2379) can't be asked: PERMISSION_DENIED: RBAC: access denied."
                        + " That is no answer of etcd: check what lies between.");
        assertThat(failure.exception().permanent()).isTrue();
    }
}
