// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Several {@link EtcdServer}s that form one cluster. */
public final class EtcdCluster extends ServerGroup<EtcdServer> {

    private EtcdCluster(List<EtcdServer> members) {
        super(members);
    }

    /** A cluster of that many members, all answering. */
    public static EtcdCluster start(int size) {
        List<EtcdServer.Ports> ports = IntStream.range(0, size)
                .mapToObj(n -> EtcdServer.Ports.free("member-" + n))
                .toList();
        String initialCluster =
                ports.stream().map(EtcdServer.Ports::initialCluster).collect(Collectors.joining(","));
        return new EtcdCluster(ports.stream()
                .map(p -> new EtcdServer(p, initialCluster, EtcdServer.builder()))
                .toList());
    }

    /** All client URLs, joined by commas. */
    public String endpoints() {
        return joined(EtcdServer::endpoint);
    }
}
