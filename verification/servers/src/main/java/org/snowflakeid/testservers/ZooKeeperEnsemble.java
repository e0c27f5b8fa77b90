// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.util.List;
import java.util.stream.IntStream;

/** Several {@link ZooKeeperServer}s that form one ensemble. */
public final class ZooKeeperEnsemble extends ServerGroup<ZooKeeperServer> {

    private ZooKeeperEnsemble(List<ZooKeeperServer> members) {
        super(members);
    }

    /** An ensemble of that many members, all answering. */
    public static ZooKeeperEnsemble start(int size) {
        return start(size, ZooKeeperServer.builder());
    }

    /** As {@link #start(int)}, each member with what the builder was told. */
    public static ZooKeeperEnsemble start(int size, ZooKeeperServer.Builder builder) {
        List<ZooKeeperServer.Ports> ports = IntStream.rangeClosed(1, size)
                .mapToObj(ZooKeeperServer.Ports::free)
                .toList();
        return new ZooKeeperEnsemble(
                ports.stream().map(p -> new ZooKeeperServer(p, ports, builder)).toList());
    }

    /** All members, joined by commas. */
    public String connectString() {
        return joined(ZooKeeperServer::connectString);
    }
}
