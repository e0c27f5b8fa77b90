// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Several servers that elect a leader, or a single one. */
public abstract sealed class ServerGroup<S extends TestServer> implements AutoCloseable
        permits EtcdCluster, SingleServer, ZooKeeperEnsemble {
    private final List<S> members;

    /** Starts the members, and returns when all of them answer. */
    ServerGroup(List<S> members) {
        this.members = members;
        try {
            members.forEach(TestServer::launch);
            members.forEach(TestServer::awaitHealthy);
        } catch (RuntimeException e) {
            members.forEach(TestServer::close);
            throw e;
        }
    }

    public List<S> members() {
        return members;
    }

    /** Of each member, joined by commas. */
    String joined(Function<S, String> address) {
        return members.stream().map(address).collect(Collectors.joining(","));
    }

    /** The member that leads now. */
    public S leader() {
        return members.stream()
                .filter(TestServer::leads)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no leader"));
    }

    @Override
    public void close() {
        members.forEach(TestServer::close);
    }
}
