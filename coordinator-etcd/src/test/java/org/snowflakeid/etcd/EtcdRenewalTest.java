// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.unique;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.LogLines;

/** Leases that are not renewed though all else works: a real server refuses that only in the moment in which it loses its leader. */
class EtcdRenewalTest {
    private static final String OWNER = "host=a token=1";

    private final EtcdServer etcd = EtcdServer.start();
    private final Passing between = new Passing(etcd.clientPort());
    private final String generator = "renewals-" + between.port();
    private final AtomicInteger hints = new AtomicInteger();

    @AfterEach
    void close() {
        between.close();
        etcd.close();
    }

    private WorkerCoordinator open(Duration timeToLive) {
        Map<String, String> settings = Map.of("snowflake.etcd.endpoints", "http://127.0.0.1:" + between.port());
        return new EtcdCoordinatorProvider()
                .open(new CoordinatorConfig(generator, "snowflake", timeToLive, settings::get), hints::incrementAndGet);
    }

    private static boolean extend(WorkerCoordinator coordinator, List<Stored> last) {
        Stored meta = last.get(0);
        String next = unique("limit=2");
        boolean held = applied(coordinator.extend(3, last.get(1), next, OWNER, meta, TIMEOUT))
                .ownerHeld();
        last.set(1, new Stored(next, 0));
        return held;
    }

    private static List<Stored> claim(WorkerCoordinator coordinator) {
        Stored meta = applied(coordinator.writeMeta(null, unique("id=1 state=active"), TIMEOUT))
                .written();
        Stored mark = applied(coordinator.claim(3, null, unique("limit=1"), OWNER, false, meta, TIMEOUT))
                .written();
        return new ArrayList<>(List.of(meta, mark));
    }

    @Test
    void failedRenewalIsSaidOncePerOutage() {
        LogLines.listen();
        try (WorkerCoordinator coordinator = open(Node.TIME_TO_LIVE)) {
            List<Stored> stored = claim(coordinator);
            assertThat(extend(coordinator, stored)).isTrue();
            assertThat(LogLines.of(generator)).isEmpty();

            between.refuses = true;
            assertThat(extend(coordinator, stored)).isTrue();
            assertThat(extend(coordinator, stored)).isTrue();
            between.refuses = false;
            assertThat(extend(coordinator, stored)).isTrue();
            assertThat(extend(coordinator, stored)).isTrue();

            assertThat(LogLines.of(generator)).hasSize(2);
            assertThat(LogLines.of(generator).get(0))
                    .startsWith("WARNING snowflake '" + generator + "': ")
                    .contains("was not renewed", "300 s", "etcdserver: no leader", "http://127.0.0.1:");
            assertThat(LogLines.of(generator).get(1)).startsWith("INFO ").contains("renewed again");
        }
    }

    @Test
    void failedRenewalIsTriedAgainBeforeItIsTimeForTheNextExtension() {
        try (WorkerCoordinator coordinator = open(Duration.ofSeconds(12))) {
            List<Stored> stored = claim(coordinator);
            between.refuses = true;

            assertThat(extend(coordinator, stored)).isTrue();

            await(Node.PATIENCE, () -> hints.get() > 0);
        }
    }

    @Test
    void ownerThatWasNeverRenewedIsNotHeldAnyMore() {
        try (WorkerCoordinator coordinator = open(Duration.ofSeconds(2))) {
            List<Stored> stored = claim(coordinator);
            between.refuses = true;

            await(Node.PATIENCE, () -> !extend(coordinator, stored));
        }
    }

    /** Passes every request on, but for renewals while it refuses them. */
    private static final class Passing extends HandlerRegistry implements AutoCloseable {
        private final ManagedChannel behind;
        private final Server server;
        private volatile boolean refuses;

        Passing(int port) {
            behind = NettyChannelBuilder.forAddress("127.0.0.1", port)
                    .usePlaintext()
                    .build();
            try {
                server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .fallbackHandlerRegistry(this)
                        .directExecutor()
                        .build()
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        int port() {
            return server.getPort();
        }

        @Override
        public ServerMethodDefinition<?, ?> lookupMethod(String name, String authority) {
            MethodDescriptor<byte[], byte[]> method = MethodDescriptor.<byte[], byte[]>newBuilder()
                    .setFullMethodName(name)
                    .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                    .setRequestMarshaller(new Bytes())
                    .setResponseMarshaller(new Bytes())
                    .build();
            return ServerMethodDefinition.create(method, (call, headers) -> pass(method, call, headers));
        }

        private ServerCall.Listener<byte[]> pass(
                MethodDescriptor<byte[], byte[]> method, ServerCall<byte[], byte[]> call, Metadata headers) {
            if (refuses && method.getFullMethodName().equals(EtcdMethods.KEEP_ALIVE.getFullMethodName())) {
                call.close(Status.UNAVAILABLE.withDescription("etcdserver: no leader"), new Metadata());
                return new ServerCall.Listener<>() {};
            }
            ClientCall<byte[], byte[]> out = behind.newCall(method, CallOptions.DEFAULT);
            out.start(
                    new ClientCall.Listener<>() {
                        @Override
                        public void onHeaders(Metadata answered) {
                            call.sendHeaders(answered);
                        }

                        @Override
                        public void onMessage(byte[] message) {
                            call.sendMessage(message);
                        }

                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            call.close(status, trailers);
                        }
                    },
                    headers);
            out.request(Integer.MAX_VALUE);
            call.request(Integer.MAX_VALUE);
            return new ServerCall.Listener<>() {
                @Override
                public void onMessage(byte[] message) {
                    out.sendMessage(message);
                }

                @Override
                public void onHalfClose() {
                    out.halfClose();
                }

                @Override
                public void onCancel() {
                    out.cancel("the client has gone", null);
                }
            };
        }

        @Override
        public void close() {
            server.shutdownNow();
            behind.shutdownNow();
            try {
                assertThat(server.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
                assertThat(behind.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
