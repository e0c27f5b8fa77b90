// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Several {@link EtcdServer}s that form one cluster. */
public final class EtcdCluster extends ServerGroup<EtcdServer> {

    private final String initialCluster;

    private EtcdCluster(List<EtcdServer> members, String initialCluster) {
        super(members);
        this.initialCluster = initialCluster;
    }

    /** A cluster of that many members, all answering. */
    public static EtcdCluster start(int size) {
        List<EtcdServer.Ports> ports = IntStream.range(0, size)
                .mapToObj(n -> EtcdServer.Ports.free("member-" + n))
                .toList();
        String initialCluster =
                ports.stream().map(EtcdServer.Ports::initialCluster).collect(Collectors.joining(","));
        return new EtcdCluster(
                ports.stream()
                        .map(p -> new EtcdServer(p, initialCluster, EtcdServer.builder()))
                        .toList(),
                initialCluster);
    }

    /** Adds a member without a vote, answering. It is not among the {@link #members()}: close it before the cluster. */
    public EtcdServer addLearner() {
        EtcdServer.Ports ports = EtcdServer.Ports.free("learner");
        TestServer.await("the cluster takes another member", () -> added(ports));
        EtcdServer learner = new EtcdServer(
                ports,
                initialCluster + "," + ports.initialCluster(),
                EtcdServer.builder().arguments("--initial-cluster-state=existing"));
        return learner.started(learner);
    }

    /** A cluster that is young takes no other member: that its members know each other must have been so for a while. */
    private boolean added(EtcdServer.Ports ports) {
        try {
            leader().etcdctl("member", "add", ports.name(), "--learner", "--peer-urls=" + ports.peerUrl());
            return true;
        } catch (IllegalStateException e) {
            if (String.valueOf(e.getMessage()).contains("unhealthy cluster")) {
                return false;
            }
            throw e;
        }
    }

    /** All client URLs, joined by commas. */
    public String endpoints() {
        return joined(EtcdServer::endpoint);
    }
}
