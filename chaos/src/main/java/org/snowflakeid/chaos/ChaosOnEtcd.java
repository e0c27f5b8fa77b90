// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.snowflakeid.testservers.EtcdCluster;
import org.snowflakeid.testservers.EtcdServer;

/** An etcd cluster. */
final class ChaosOnEtcd implements Cluster {
    private final EtcdCluster cluster;

    ChaosOnEtcd(int members) {
        cluster = EtcdCluster.start(members);
    }

    private EtcdServer server(int member) {
        return cluster.members().get(member);
    }

    @Override
    public String coordinator() {
        return "etcd";
    }

    @Override
    public String version() {
        return server(0).version();
    }

    @Override
    public int size() {
        return cluster.members().size();
    }

    @Override
    public int port(int member) {
        return server(member).clientPort();
    }

    @Override
    public Map<String, String> settings(List<Integer> ports) {
        return Map.of(
                "snowflake.etcd.endpoints",
                ports.stream().map(port -> "http://127.0.0.1:" + port).collect(Collectors.joining(",")));
    }

    @Override
    public OptionalInt leader() {
        for (int member = 0; member < size(); member++) {
            try {
                if (server(member).isRunning() && server(member).leads()) {
                    return OptionalInt.of(member);
                }
            } catch (UncheckedIOException frozen) {
                // Another may tell.
            }
        }
        return OptionalInt.empty();
    }

    @Override
    public void freeze(int member) {
        synchronized (server(member)) {
            if (server(member).isRunning()) {
                server(member).pause();
            }
        }
    }

    @Override
    public void thaw(int member) {
        synchronized (server(member)) {
            if (server(member).isRunning()) {
                server(member).resume();
            }
        }
    }

    @Override
    public void kill(int member) {
        synchronized (server(member)) {
            server(member).kill();
        }
    }

    @Override
    public void stop(int member) {
        synchronized (server(member)) {
            if (server(member).isRunning()) {
                server(member).stop();
            }
        }
    }

    @Override
    public void start(int member) {
        synchronized (server(member)) {
            if (!server(member).isRunning()) {
                server(member).startAgain();
            }
        }
    }

    @Override
    public void awaitHealthy() {
        cluster.members().forEach(EtcdServer::awaitHealthy);
    }

    /** Of the first member that answers: one may be frozen, or all but one be dead. */
    private Optional<String> etcdctl(String... arguments) {
        for (EtcdServer server : cluster.members()) {
            try {
                if (server.isRunning()) {
                    return Optional.of(server.etcdctl(arguments));
                }
            } catch (IllegalStateException noAnswer) {
                // The next one, perhaps.
            }
        }
        return Optional.empty();
    }

    private static String owner(String namespace, int workerId) {
        return "/" + namespace + "/workers/" + workerId;
    }

    @Override
    public boolean deleteOwner(String namespace, int workerId) {
        return etcdctl("--command-timeout=2s", "del", owner(namespace, workerId))
                .filter(deleted -> deleted.strip().equals("1"))
                .isPresent();
    }

    @Override
    public boolean expireOwner(String namespace, int workerId) {
        Optional<String> lease = etcdctl("--command-timeout=2s", "get", owner(namespace, workerId), "-w", "fields")
                .flatMap(fields -> fields.lines()
                        .filter(line -> line.startsWith("\"Lease\""))
                        .findFirst())
                .map(line -> Long.toHexString(
                        Long.parseLong(line.substring(line.indexOf(':') + 1).strip())));
        return lease.flatMap(id -> etcdctl("--command-timeout=2s", "lease", "revoke", id))
                .isPresent();
    }

    @Override
    public Map<Integer, String> marks(String namespace) {
        String prefix = "/" + namespace + "/marks/";
        Map<Integer, String> marks = new TreeMap<>();
        List<String> lines = etcdctl("get", "--prefix", prefix)
                .orElseThrow(() -> new IllegalStateException("no member answers"))
                .lines()
                .toList();
        for (int i = 0; i + 1 < lines.size(); i += 2) {
            marks.put(Integer.parseInt(lines.get(i).substring(prefix.length())), lines.get(i + 1));
        }
        return marks;
    }

    @Override
    public void close() {
        cluster.close();
    }
}
