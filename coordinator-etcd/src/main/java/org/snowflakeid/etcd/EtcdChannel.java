// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import com.google.common.util.concurrent.ListenableFuture;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ClientStreamTracer;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import java.net.SocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A connection to the servers, to be thrown away when it fails: certificates and addresses are those of the moment it was made. */
final class EtcdChannel {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    /** etcd counts pings closer than 5 s as abuse, gRPC raises less than 10 s to 10 s. */
    private static final Duration PING_INTERVAL = Duration.ofSeconds(10);

    private static final Duration PING_TIMEOUT = Duration.ofSeconds(3);
    private static final int MAX_MESSAGE_BYTES = 16 << 20;
    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);

    private final ManagedChannel channel;

    /** Ends the streams that nothing else ends. */
    private final Context.CancellableContext lifetime = Context.ROOT.withCancellation();

    /** What becomes of a request. */
    static final class Trace extends ClientStreamTracer.Factory {
        private volatile boolean sent;
        private volatile @Nullable SocketAddress server;

        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
                @Override
                public void streamCreated(Attributes transport, Metadata sentHeaders) {
                    server = transport.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
                    sent = true;
                }
            };
        }

        /** False if it certainly never left this process. */
        boolean isSent() {
            return sent;
        }

        /** Whom it was sent to, where that is known. */
        @Nullable
        SocketAddress server() {
            return server;
        }
    }

    /**
     * @param endpoints those of the settings, or some of them
     * @param background resolves the names of hosts
     * @param avoided servers that are asked only if there is no other
     */
    EtcdChannel(
            EtcdSettings settings,
            List<URI> endpoints,
            EventLoopGroup loop,
            Executor background,
            Predicate<SocketAddress> avoided) {
        SslContext tls = settings.sslContext();
        NettyChannelBuilder builder = builder(new Endpoints(endpoints, avoided))
                .defaultLoadBalancingPolicy("round_robin")
                .eventLoopGroup(loop)
                .channelType(NioSocketChannel.class)
                // Nothing that is called back blocks.
                .directExecutor()
                .offloadExecutor(background)
                // An unreachable server is reported at once, with the cause; trying again is core's.
                .disableRetry()
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) CONNECT_TIMEOUT.toMillis())
                .keepAliveTime(PING_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(PING_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                // etcd ends connections that ping without a stream open.
                .keepAliveWithoutCalls(false)
                .maxInboundMessageSize(MAX_MESSAGE_BYTES);
        this.channel = (tls == null ? builder.usePlaintext() : builder.sslContext(tls)).build();
    }

    /** The alternative is a registry for the whole JVM, which would keep an application alive. */
    @SuppressWarnings("deprecation")
    private static NettyChannelBuilder builder(Endpoints endpoints) {
        return NettyChannelBuilder.forTarget(endpoints.getDefaultScheme() + ":///")
                .nameResolverFactory(endpoints);
    }

    private <Q, A> ClientCall<Q, A> call(MethodDescriptor<Q, A> method, @Nullable String token, CallOptions options) {
        if (token == null) {
            return channel.newCall(method, options);
        }
        Metadata headers = new Metadata();
        headers.put(TOKEN, token);
        return ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers))
                .newCall(method, options);
    }

    /** Sends one message, for one answer. Also where the method is a stream: without a deadline it would stay open in the server. */
    <Q, A> ListenableFuture<A> send(
            MethodDescriptor<Q, A> method, Q message, @Nullable String token, Deadline deadline, Trace trace) {
        CallOptions options = CallOptions.DEFAULT.withDeadline(deadline).withStreamTracerFactory(trace);
        return ClientCalls.futureUnaryCall(call(method, token, options), message);
    }

    /** Opens a stream, which ends with this connection at the latest. */
    ClientCallStreamObserver<WatchRequest> watch(
            @Nullable String token, Trace trace, StreamObserver<WatchResponse> observer) {
        CallOptions options = CallOptions.DEFAULT.withStreamTracerFactory(trace);
        Context outer = lifetime.attach();
        try {
            return (ClientCallStreamObserver<WatchRequest>)
                    ClientCalls.asyncBidiStreamingCall(call(WatchGrpc.getWatchMethod(), token, options), observer);
        } finally {
            lifetime.detach(outer);
        }
    }

    /** Ends it as soon as what is under way has its answer or its deadline. */
    void giveUp() {
        channel.shutdown();
        lifetime.cancel(null);
    }

    void end() {
        channel.shutdownNow();
        lifetime.cancel(null);
    }

    boolean hasEnded() {
        return channel.isTerminated();
    }

    /** @return whether it has ended in this time */
    boolean awaitEnd(long nanos) throws InterruptedException {
        return channel.awaitTermination(nanos, TimeUnit.NANOSECONDS);
    }
}
