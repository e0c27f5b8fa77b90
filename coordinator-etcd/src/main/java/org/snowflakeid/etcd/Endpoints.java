// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.StatusOr;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

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
        for (URI endpoint : endpoints) {
            // The name by which the server's certificate is checked.
            Attributes authority = Attributes.newBuilder()
                    .set(EquivalentAddressGroup.ATTR_AUTHORITY_OVERRIDE, endpoint.getAuthority())
                    .build();
            for (SocketAddress address : addresses(endpoint)) {
                EquivalentAddressGroup server = new EquivalentAddressGroup(address, authority);
                all.add(server);
                if (!avoided.test(address)) {
                    preferred.add(server);
                }
            }
        }
        listener.onResult(NameResolver.ResolutionResult.newBuilder()
                .setAddressesOrError(StatusOr.fromValue(preferred.isEmpty() ? all : preferred))
                .build());
    }

    private static List<InetSocketAddress> addresses(URI endpoint) {
        String authority = endpoint.getAuthority();
        int colon = authority.lastIndexOf(':');
        String name = authority.substring(0, colon);
        int port = Integer.parseInt(authority.substring(colon + 1));
        try {
            return Arrays.stream(InetAddress.getAllByName(name))
                    .map(host -> new InetSocketAddress(host, port))
                    .toList();
        } catch (UnknownHostException e) {
            // The attempt to connect to it will say so; here gRPC would log it, with a stack trace, at each attempt.
            return List.of(InetSocketAddress.createUnresolved(name, port));
        }
    }
}
