// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.await;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.testservers.EtcdServer;

/** Watches that gRPC fails to begin, for want of threads, say, or memory. */
class OwnerWatchTest {
    private static final String OWNER = "/snowflake/workers/3";

    private final EtcdServer server = EtcdServer.start();
    private final EtcdConnection connection = new EtcdConnection(new EtcdSettings(new CoordinatorConfig(
            "orders", "snowflake", TIMEOUT, Map.of(EtcdSettings.ENDPOINTS.name(), server.endpoint())::get)));
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger hints = new AtomicInteger();

    @AfterEach
    void close() {
        connection.close();
        server.close();
    }

    private OwnerWatch failsAtFirst(Runnable failure) {
        return new OwnerWatch(
                connection,
                (channel, trace, listener) -> {
                    if (attempts.incrementAndGet() == 1) {
                        failure.run();
                    }
                    return connection.watch(channel, trace, listener);
                },
                hints::incrementAndGet);
    }

    private void watch(OwnerWatch watch) throws EtcdFailure {
        ByteString key = ByteString.copyFromUtf8(OWNER);
        RangeRequest read = RangeRequest.newBuilder().setKey(key).build();
        long revision = connection
                .call(
                        connection.deadline(TIMEOUT),
                        EtcdMethods.call(
                                "KV/Range", RangeRequest.getDefaultInstance(), RangeResponse.getDefaultInstance()),
                        read)
                .getHeader()
                .getRevision();
        watch.watch(key, revision);
    }

    private void awaitHintOfALoss() {
        assertThat(hints).hasValue(0);
        server.etcdctl("put", OWNER, "another");
        await(PATIENCE, () -> hints.get() > 0);
    }

    // an extension that was applied ended with an exception, and no loss was noticed any more
    @Test
    void watchThatFailsIsBegunTheNextTimeAndNoCallFails() throws EtcdFailure {
        OwnerWatch watch = failsAtFirst(() -> {
            throw new RejectedExecutionException("planted");
        });

        watch(watch);
        watch(watch);

        awaitHintOfALoss();
    }

    // no loss was noticed any more until the process was started again
    @Test
    void watchThatEndedWithAnErrorIsBegunTheNextTime() throws EtcdFailure {
        OwnerWatch watch = failsAtFirst(() -> {
            throw new OutOfMemoryError("planted");
        });
        assertThatThrownBy(() -> watch(watch)).isInstanceOf(OutOfMemoryError.class);

        watch(watch);

        awaitHintOfALoss();
    }
}
