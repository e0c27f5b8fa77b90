// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.snowflakeid.support.Handshakes;
import org.snowflakeid.support.HostAndPort;

/** Finds out why no session can be opened: ZooKeeper's client does not tell, but tries again. */
final class Reachability {
    private static final int CONNECT_MILLIS = 300;
    private static final int HANDSHAKE_MILLIS = 1_000;

    /** The server's refusal of a client's certificate follows the client's handshake. */
    private static final int REFUSAL_MILLIS = 300;

    private static final Handshakes HANDSHAKES =
            Handshakes.by(ZooKeeperSettings.TLS, "the host names in " + ZooKeeperSettings.CONNECT_STRING);

    private final ZooKeeperSettings settings;

    Reachability(ZooKeeperSettings settings) {
        this.settings = settings;
    }

    record Finding(String text, boolean permanent) {}

    static final Finding NOTHING_FOUND = new Finding(
            "grants no session in time. Check the servers (have they a quorum, is maxClientCnxns reached?), the port in "
                    + ZooKeeperSettings.CONNECT_STRING + ", and snowflake.zookeeper.tls.*.",
            false);

    /**
     * The finding for all servers together: above all one that waiting can't cure, which an operator has to see. Waiting is in vain only
     * if it is for each of them.
     */
    static Finding together(List<Finding> ofEach) {
        Finding told = ofEach.stream()
                .filter(Finding::permanent)
                .findFirst()
                .or(() -> ofEach.stream()
                        .filter(finding -> !finding.equals(NOTHING_FOUND))
                        .findFirst())
                .orElse(NOTHING_FOUND);
        return new Finding(told.text(), ofEach.stream().allMatch(Finding::permanent));
    }

    /** Tries to connect to a server, and returns why that fails. */
    Finding look(HostAndPort server) {
        try (Socket socket = new Socket()) {
            InetAddress address = InetAddress.getAllByName(server.host())[0];
            socket.connect(new InetSocketAddress(address, server.port()), CONNECT_MILLIS);
            if (settings.tls()) {
                handshake(socket, server);
            }
            return NOTHING_FOUND;
        } catch (UnknownHostException e) {
            return new Finding(
                    "is not reachable: unknown host " + server.host() + ". Check " + ZooKeeperSettings.CONNECT_STRING
                            + ".",
                    false);
        } catch (Encryption.UnreadableException e) {
            return new Finding("can't be reached by TLS: " + e.getMessage(), false);
        } catch (SSLException e) {
            return refused(server, e);
        } catch (IOException e) {
            return new Finding(
                    "is not reachable: " + server + ": " + e.getMessage() + ". Check "
                            + ZooKeeperSettings.CONNECT_STRING + ".",
                    false);
        }
    }

    private void handshake(Socket socket, HostAndPort server) throws IOException {
        socket.setSoTimeout(HANDSHAKE_MILLIS);
        try (SSLSocket tls = settings.encryption().encrypt(socket, server.host(), server.port())) {
            tls.setSoTimeout(REFUSAL_MILLIS);
            int ignored = tls.getInputStream().read();
        } catch (SocketTimeoutException silent) {
            // A server that waits for a request sends nothing either.
        }
    }

    private static Finding refused(HostAndPort server, SSLException e) {
        String message = String.valueOf(e.getMessage());
        Optional<Throwable> refusal = Handshakes.refusal(Handshakes.causes(e));
        if (refusal.isPresent()) {
            return new Finding(HANDSHAKES.complaint(refusal.get(), " (" + server + ")", message), true);
        }
        return new Finding(
                "does not speak TLS at " + server + ": " + message + ". Check the port in "
                        + ZooKeeperSettings.CONNECT_STRING + ", and snowflake.zookeeper.tls.*.",
                false);
    }
}
