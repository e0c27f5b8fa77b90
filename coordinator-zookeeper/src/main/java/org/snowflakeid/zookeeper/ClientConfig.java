// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.io.IOException;
import java.net.Socket;
import javax.net.ssl.SSLSocket;
import org.apache.zookeeper.ClientCnxnSocketNIO;
import org.apache.zookeeper.EncryptedClientCnxnSocket;
import org.apache.zookeeper.client.ZKClientConfig;

/** The configuration of ZooKeeper's client, apart from the servers. */
final class ClientConfig extends ZKClientConfig implements EncryptedClientCnxnSocket.Encryption {
    private static final int MAX_MESSAGE_BYTES = 16 << 20;

    private final Encryption encryption;

    ClientConfig(ZooKeeperSettings settings) {
        this.encryption = settings.encryption();
        setProperty(ENABLE_CLIENT_SASL_KEY, "false");
        setProperty(ZOOKEEPER_REQUEST_TIMEOUT, "0");
        setProperty(DISABLE_AUTO_WATCH_RESET, "false");
        setProperty(JUTE_MAXBUFFER, Integer.toString(MAX_MESSAGE_BYTES));
        setProperty(
                ZOOKEEPER_CLIENT_CNXN_SOCKET,
                (settings.tls() ? EncryptedClientCnxnSocket.class : ClientCnxnSocketNIO.class).getName());
    }

    /** The defaults are system properties, meant for other clients in this process. Called by the constructor. */
    @Override
    protected void handleBackwardCompatibility() {}

    @Override
    public SSLSocket encrypt(Socket connected, String host, int port) throws IOException {
        return encryption.encrypt(connected, host, port);
    }
}
