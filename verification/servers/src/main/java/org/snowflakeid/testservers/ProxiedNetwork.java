// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import org.snowflakeid.tck.UnknownOutcomeContract;

/** A network that is a proxy, and can be read. Who uses it depends on snowflake-coordinator-tck. */
public final class ProxiedNetwork implements UnknownOutcomeContract.Network {
    private final TcpProxy proxy;

    public ProxiedNetwork(TcpProxy proxy) {
        this.proxy = proxy;
    }

    @Override
    public void holdAnswersFrom(String letters) {
        proxy.holdRepliesFrom(letters);
    }

    @Override
    public long writesSent() {
        return proxy.requestsWithThatPart();
    }

    @Override
    public void cut() {
        proxy.cut();
    }

    @Override
    public void pass() {
        proxy.pass();
    }

    @Override
    public void close() {
        proxy.close();
    }
}
