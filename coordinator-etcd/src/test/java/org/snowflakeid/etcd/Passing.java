// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Passes every request on to a server, but for those that it refuses. */
final class Passing extends HandlerRegistry implements AutoCloseable {
    private final ManagedChannel behind;
    private final Server server;
    private final Map<String, Status> refused = new ConcurrentHashMap<>();
    private final Map<String, Integer> asked = new ConcurrentHashMap<>();

    Passing(int port) {
        behind =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
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

    void refuse(MethodDescriptor<?, ?> method, Status answer) {
        refused.put(method.getFullMethodName(), answer);
    }

    void pass(MethodDescriptor<?, ?> method) {
        refused.remove(method.getFullMethodName());
    }

    /** How often. */
    int asked(MethodDescriptor<?, ?> method) {
        return asked.getOrDefault(method.getFullMethodName(), 0);
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
        asked.merge(method.getFullMethodName(), 1, Integer::sum);
        Status answer = refused.get(method.getFullMethodName());
        if (answer != null) {
            call.close(answer, new Metadata());
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
