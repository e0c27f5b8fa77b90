// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.UncheckedIOException;
import java.util.ArrayList;
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

    /** The member that leads now, which another may not do before an election, on a machine that is slow, has ended. */
    public S leader() {
        List<S> leading = new ArrayList<>();
        TestServer.await("a member leads", () -> {
            members.stream().filter(ServerGroup::saysThatItLeads).findFirst().ifPresent(leading::add);
            return !leading.isEmpty();
        });
        return leading.get(0);
    }

    private static boolean saysThatItLeads(TestServer member) {
        try {
            return member.leads();
        } catch (UncheckedIOException noAnswer) {
            return false;
        }
    }

    @Override
    public void close() {
        members.forEach(TestServer::close);
    }
}
