// SPDX-License-Identifier: Apache-2.0
package org.apache.zookeeper;

import java.io.IOException;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.NullMarked;

/**
 * ZooKeeper's client with both of its threads, or with none. The one that connects is started first: if the other one can't be started, the
 * client's own constructor throws and leaves it behind, where it would keep a session alive that no caller has. A {@link HostProvider} that
 * throws would not end it. It is here because only this package can change how the client connects.
 */
@NullMarked
@SuppressWarnings("try") // ZooKeeper's close() can be interrupted.
public final class CompleteZooKeeper extends ZooKeeper {

    public CompleteZooKeeper(
            String servers, int timeoutMillis, Watcher watcher, HostProvider hosts, ZKClientConfig config)
            throws IOException {
        super(servers, timeoutMillis, watcher, false, hosts, config);
    }

    @Override
    ClientCnxn createConnection(
            String root,
            HostProvider hosts,
            int timeoutMillis,
            ZKClientConfig config,
            Watcher watcher,
            ClientCnxnSocket socket,
            boolean canBeReadOnly)
            throws IOException {
        return new ClientCnxn(root, hosts, timeoutMillis, config, watcher, socket, canBeReadOnly) {
            @Override
            public void start() {
                try {
                    super.start();
                } catch (RuntimeException | Error e) {
                    disconnect();
                    throw e;
                }
            }
        };
    }
}
