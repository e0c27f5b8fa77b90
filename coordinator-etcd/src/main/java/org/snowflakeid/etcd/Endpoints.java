// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.Status;
import io.grpc.StatusOr;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The addresses of several servers: gRPC's own resolvers know one name each. Resolved once, since a connection that fails is made anew. */
final class Endpoints extends NameResolver.Factory {
    private final List<URI> endpoints;
    private final Predicate<SocketAddress> avoided;

    /** @param avoided left out while there are others */
    Endpoints(List<URI> endpoints, Predicate<SocketAddress> avoided) {
        this.endpoints = endpoints;
        this.avoided = avoided;
    }

    @Override
    public String getDefaultScheme() {
        return "snowflake-etcd";
    }

    @Override
    public NameResolver newNameResolver(URI target, NameResolver.Args args) {
        Executor background = args.getOffloadExecutor() == null ? Runnable::run : args.getOffloadExecutor();
        return new NameResolver() {
            @Override
            public String getServiceAuthority() {
                return endpoints.get(0).getAuthority();
            }

            @Override
            public void start(Listener2 listener) {
                background.execute(() -> resolve(listener));
            }

            @Override
            public void shutdown() {
                // What comes late is not listened to.
            }
        };
    }

    private void resolve(NameResolver.Listener2 listener) {
        List<EquivalentAddressGroup> all = new ArrayList<>();
        List<EquivalentAddressGroup> preferred = new ArrayList<>();
        UnknownHostException failure = null;
        for (URI endpoint : endpoints) {
            // The name by which the server's certificate is checked.
            Attributes authority = Attributes.newBuilder()
                    .set(EquivalentAddressGroup.ATTR_AUTHORITY_OVERRIDE, endpoint.getAuthority())
                    .build();
            try {
                for (InetAddress host : InetAddress.getAllByName(endpoint.getHost())) {
                    SocketAddress address = new InetSocketAddress(host, endpoint.getPort());
                    EquivalentAddressGroup server = new EquivalentAddressGroup(address, authority);
                    all.add(server);
                    if (!avoided.test(address)) {
                        preferred.add(server);
                    }
                }
            } catch (UnknownHostException e) {
                failure = e;
            }
        }
        tell(listener, preferred.isEmpty() ? all : preferred, failure);
    }

    private static void tell(
            NameResolver.Listener2 listener,
            List<EquivalentAddressGroup> servers,
            @Nullable UnknownHostException failure) {
        if (servers.isEmpty()) {
            listener.onError(
                    Status.UNAVAILABLE.withDescription("no host is known").withCause(failure));
        } else {
            listener.onResult(NameResolver.ResolutionResult.newBuilder()
                    .setAddressesOrError(StatusOr.fromValue(servers))
                    .build());
        }
    }
}
