// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Several {@link ZooKeeperServer}s that form one ensemble. */
public final class ZooKeeperEnsemble implements AutoCloseable {
    private final List<ZooKeeperServer> members = new ArrayList<>();

    private ZooKeeperEnsemble() {}

    /** An ensemble of that many members, all answering. */
    public static ZooKeeperEnsemble start(int size) {
        List<ZooKeeperServer.Ports> ports = IntStream.rangeClosed(1, size)
                .mapToObj(ZooKeeperServer.Ports::free)
                .toList();
        ZooKeeperEnsemble ensemble = new ZooKeeperEnsemble();
        try {
            ports.forEach(p -> ensemble.members.add(new ZooKeeperServer(p, ports, ZooKeeperServer.builder())));
            ensemble.members.forEach(ZooKeeperServer::launch);
            ensemble.members.forEach(ZooKeeperServer::awaitHealthy);
            return ensemble;
        } catch (RuntimeException e) {
            ensemble.close();
            throw e;
        }
    }

    public List<ZooKeeperServer> members() {
        return List.copyOf(members);
    }

    /** All members, joined by commas. */
    public String connectString() {
        return members.stream().map(ZooKeeperServer::connectString).collect(Collectors.joining(","));
    }

    /** The member that leads now. */
    public ZooKeeperServer leader() {
        return members.stream()
                .filter(ZooKeeperServer::leads)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no leader"));
    }

    @Override
    public void close() {
        members.forEach(ZooKeeperServer::close);
    }
}
