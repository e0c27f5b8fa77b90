// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Grpc;
import io.grpc.LoadBalancerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import java.net.SocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A connection to the servers, to be thrown away when it fails: certificates and addresses are those of the moment it was made. */
final class EtcdChannel {
    /** gRPC finds it by a service file, which an application packaged as one jar may have lost. */
    static final String POLICY = "round_robin";

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
                .defaultLoadBalancingPolicy(POLICY)
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

    static boolean lacksPolicy() {
        return LoadBalancerRegistry.getDefaultRegistry().getProvider(POLICY) == null;
    }

    private static Metadata headers(@Nullable String token) {
        Metadata headers = new Metadata();
        if (token != null) {
            headers.put(TOKEN, token);
        }
        return headers;
    }

    /** Sends one message, for one answer. Also where the method is a stream: without a deadline it would stay open in the server. */
    <Q, A> CompletableFuture<A> send(
            MethodDescriptor<Q, A> method, Q message, @Nullable String token, Deadline deadline, Trace trace) {
        CallOptions options = CallOptions.DEFAULT.withDeadline(deadline).withStreamTracerFactory(trace);
        ClientCall<Q, A> call = channel.newCall(method, options);
        boolean stream = method.getType() != MethodDescriptor.MethodType.UNARY;
        Answer<Q, A> answer = new Answer<>(call, stream);
        call.start(answer.listener(), headers(token));
        call.request(2);
        call.sendMessage(message);
        if (!stream) {
            call.halfClose();
        }
        return answer;
    }

    private static final class Answer<Q, A> extends CompletableFuture<A> {
        private final ClientCall<Q, A> call;
        private final boolean stream;

        Answer(ClientCall<Q, A> call, boolean stream) {
            this.call = call;
            this.stream = stream;
        }

        ClientCall.Listener<A> listener() {
            return new ClientCall.Listener<>() {
                private @Nullable A first;

                @Override
                public void onMessage(A message) {
                    first = message;
                    if (stream) {
                        // Not before: etcd grpc-proxy answers nothing to a client that has closed its side.
                        call.halfClose();
                        complete(message);
                    }
                }

                @Override
                public void onClose(Status status, Metadata trailers) {
                    if (!status.isOk() || first == null) {
                        Status failure = status.isOk() ? Status.INTERNAL.withDescription("no answer") : status;
                        completeExceptionally(failure.asRuntimeException(trailers));
                    } else {
                        complete(first);
                    }
                }
            };
        }

        @Override
        public boolean cancel(boolean unused) {
            call.cancel("the wait for an answer has ended", null);
            return super.cancel(unused);
        }
    }

    /** Opens a stream, which ends with this connection at the latest. */
    ClientCall<WatchRequest, WatchResponse> watch(
            @Nullable String token, Trace trace, ClientCall.Listener<WatchResponse> listener) {
        CallOptions options = CallOptions.DEFAULT.withStreamTracerFactory(trace);
        ClientCall<WatchRequest, WatchResponse> call;
        Context outer = lifetime.attach();
        try {
            call = channel.newCall(EtcdMethods.WATCH, options);
        } finally {
            lifetime.detach(outer);
        }
        call.start(listener, headers(token));
        call.request(1);
        return call;
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
