// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Several {@link EtcdServer}s that form one cluster. */
public final class EtcdCluster implements AutoCloseable {
    private final List<EtcdServer> members = new ArrayList<>();

    private EtcdCluster() {}

    /** A cluster of that many members, all answering. */
    public static EtcdCluster start(int size) {
        List<EtcdServer.Ports> ports = IntStream.range(0, size)
                .mapToObj(n -> EtcdServer.Ports.free("member-" + n))
                .toList();
        String initialCluster =
                ports.stream().map(EtcdServer.Ports::initialCluster).collect(Collectors.joining(","));
        EtcdCluster cluster = new EtcdCluster();
        try {
            ports.forEach(p -> cluster.members.add(new EtcdServer(p, initialCluster, EtcdServer.builder())));
            cluster.members.forEach(member -> member.launch());
            cluster.members.forEach(EtcdServer::awaitHealthy);
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    public List<EtcdServer> members() {
        return List.copyOf(members);
    }

    /** All client URLs, joined by commas. */
    public String endpoints() {
        return members.stream().map(EtcdServer::endpoint).collect(Collectors.joining(","));
    }

    /** The member that leads now. */
    public EtcdServer leader() {
        return members.stream()
                .filter(EtcdServer::leads)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no leader"));
    }

    @Override
    public void close() {
        members.forEach(EtcdServer::close);
    }
}
