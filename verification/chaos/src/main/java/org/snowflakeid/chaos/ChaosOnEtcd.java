// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.snowflakeid.testservers.EtcdCluster;
import org.snowflakeid.testservers.EtcdServer;

/** An etcd cluster. */
final class ChaosOnEtcd extends ServersUnderChaos<EtcdServer> {

    ChaosOnEtcd(int members) {
        super(EtcdCluster.start(members).members());
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
    public Map<String, String> settings(List<Integer> ports) {
        return Map.of("snowflake.etcd.endpoints", joined(ports, "http://127.0.0.1:"));
    }

    private Optional<String> etcdctl(String... arguments) {
        return ask(server -> server.etcdctl(arguments));
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
}
