// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.jute.Record;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.proto.ConnectRequest;
import org.apache.zookeeper.proto.ConnectResponse;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.proto.RequestHeader;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.support.HostAndPort;

/**
 * Looks whether the servers that are named are one ensemble: others have marks of their own. One of them grants a session, which each other
 * one knows then, if it is of the same ensemble or the same server under another name. What they say of their members would not tell: two
 * ensembles may have the same list, and one may have several. Asked by own requests, since ZooKeeper's client does not tell which server
 * answers.
 */
final class OneEnsemble {
    private static final int CONNECT_MILLIS = 300;
    private static final int ANSWER_MILLIS = 1_000;

    /** Longer than all of them are asked, or as long as the server grants. */
    private static final int SESSION_MILLIS = 30_000;

    private static final int PASSWORD_BYTES = 16;
    private static final int LONGEST_ANSWER = 1 << 20;

    private final ZooKeeperSettings settings;

    OneEnsemble(ZooKeeperSettings settings) {
        this.settings = settings;
    }

    /** What is wrong with them; empty also where too few answer. */
    Optional<String> complaint() {
        List<HostAndPort> servers = settings.servers();
        for (int i = 0; i + 1 < servers.size(); i++) {
            try (Link granting = new Link(servers.get(i))) {
                ConnectResponse session = granting.connect(null);
                List<HostAndPort> others = servers.subList(i + 1, servers.size());
                // Otherwise nothing can be claimed there.
                return granting.shareSession() ? complaint(servers.get(i), session, others) : Optional.empty();
            } catch (IOException unanswered) {
                // A member that is down is no sign of anything.
            }
        }
        return Optional.empty();
    }

    private Optional<String> complaint(HostAndPort first, ConnectResponse session, List<HostAndPort> others) {
        Optional<String> complaint = Optional.empty();
        for (HostAndPort other : others) {
            // It may have expired in the meantime, where this process was held up.
            if (complaint.isEmpty() && says(other, session, false) && says(first, session, true)) {
                complaint = Optional.of(first + " and " + other
                        + " are named together, and are no ensemble: each has records of its own");
            }
        }
        end(first, session);
        return complaint;
    }

    /** Whether it answers, and so. */
    private boolean says(HostAndPort server, ConnectResponse session, boolean known) {
        try (Link link = new Link(server)) {
            return link.connect(session).getTimeOut() > 0 == known;
        } catch (IOException unanswered) {
            return false;
        }
    }

    private void end(HostAndPort server, ConnectResponse session) {
        try (Link link = new Link(server)) {
            ConnectResponse unused = link.connect(session);
            link.closeSession();
        } catch (IOException unanswered) {
            // It expires.
        }
    }

    /** A connection to one server. */
    private final class Link implements AutoCloseable {
        private final Socket plain = new Socket();
        private final Socket socket;

        Link(HostAndPort server) throws IOException {
            try {
                plain.connect(new InetSocketAddress(server.host(), server.port()), CONNECT_MILLIS);
                plain.setSoTimeout(ANSWER_MILLIS);
                socket = settings.tls() ? settings.encryption().encrypt(plain, server.host(), server.port()) : plain;
            } catch (IOException e) {
                plain.close();
                throw e;
            }
        }

        /** @param known to be gone on with; null: a new session */
        ConnectResponse connect(@Nullable ConnectResponse known) throws IOException {
            long id = known == null ? 0 : known.getSessionId();
            byte[] password = known == null ? new byte[PASSWORD_BYTES] : known.getPasswd();
            send(new ConnectRequest(0, 0, SESSION_MILLIS, id, password, false));
            ConnectResponse answer = new ConnectResponse();
            answer.deserialize(receive(), "connect");
            return answer;
        }

        /**
         * With {@code localSessionsEnabled} other members know no session before it wants an ephemeral node. This one it does not get: its
         * parent is not there.
         *
         * @return false: they will never know it
         */
        boolean shareSession() throws IOException {
            String path = "/snowflake-session-" + UUID.randomUUID() + "/none";
            send(
                    new RequestHeader(1, ZooDefs.OpCode.create),
                    new CreateRequest(
                            path, NamespaceTree.NOTHING, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL.toFlag()));
            ReplyHeader header = new ReplyHeader();
            header.deserialize(receive(), "header");
            return header.getErr() != Code.EPHEMERALONLOCALSESSION.intValue();
        }

        void closeSession() throws IOException {
            send(new RequestHeader(2, ZooDefs.OpCode.closeSession));
            BinaryInputArchive unused = receive();
        }

        private void send(Record... parts) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            BinaryOutputArchive archive = BinaryOutputArchive.getArchive(bytes);
            for (Record part : parts) {
                part.serialize(archive, "part");
            }
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.writeInt(bytes.size());
            bytes.writeTo(out);
            out.flush();
        }

        private BinaryInputArchive receive() throws IOException {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            int length = in.readInt();
            if (length < 0 || length > LONGEST_ANSWER) {
                throw new IOException("no answer of ZooKeeper");
            }
            byte[] answer = new byte[length];
            in.readFully(answer);
            return BinaryInputArchive.getArchive(new ByteArrayInputStream(answer));
        }

        @Override
        public void close() throws IOException {
            plain.close();
        }
    }
}
