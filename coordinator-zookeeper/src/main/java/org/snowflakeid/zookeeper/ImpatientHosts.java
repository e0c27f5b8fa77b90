// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.net.InetSocketAddress;
import java.util.Collection;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;
import org.jspecify.annotations.Nullable;

/**
 * The servers, which ZooKeeper's client goes through until one lets it in. It waits for each by its share of the session's timeout: a
 * minute and more at a frozen server, where windows are long. That share is five seconds here at the most: the client gets so many
 * servers that it comes to no more.
 */
final class ImpatientHosts implements HostProvider {
    private static final int LONGEST_SHARE_MILLIS = 5_000;

    private final HostProvider hosts;
    private final int wantedMillis;
    private boolean asked;
    private @Nullable ZooKeeper client;

    ImpatientHosts(String connectString, int wantedMillis) {
        this.hosts = new StaticHostProvider(new ConnectStringParser(connectString).getServerAddresses());
        this.wantedMillis = wantedMillis;
    }

    synchronized void usedBy(ZooKeeper user) {
        client = user;
    }

    /** Asked for when the client is made, and again whenever a session was granted, for as long as the servers saw fit. */
    @Override
    public synchronized int size() {
        int timeoutMillis = wantedMillis;
        if (asked) {
            timeoutMillis = client == null ? 0 : client.getSessionTimeout();
        }
        asked = true;
        return Math.max(hosts.size(), timeoutMillis / LONGEST_SHARE_MILLIS);
    }

    @Override
    public InetSocketAddress next(long spinDelay) {
        return hosts.next(spinDelay);
    }

    @Override
    public void onConnected() {
        hosts.onConnected();
    }

    @Override
    public boolean updateServerList(Collection<InetSocketAddress> servers, InetSocketAddress current) {
        return hosts.updateServerList(servers, current);
    }
}
