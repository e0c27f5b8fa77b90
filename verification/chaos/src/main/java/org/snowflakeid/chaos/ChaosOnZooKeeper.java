// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.snowflakeid.testservers.ZooKeeperAdministrator;
import org.snowflakeid.testservers.ZooKeeperEnsemble;
import org.snowflakeid.testservers.ZooKeeperServer;

/** A ZooKeeper ensemble. */
final class ChaosOnZooKeeper extends ServersUnderChaos<ZooKeeperServer> {

    ChaosOnZooKeeper(int members) {
        super(ZooKeeperEnsemble.start(members).members());
    }

    @Override
    public String coordinator() {
        return "zookeeper";
    }

    @Override
    public String version() {
        String version = lines(server(0).command("srvr"))
                .getOrDefault("Zookeeper version", "of unknown version")
                .replaceFirst("-.*", "");
        Map<String, String> settings = lines(server(0).command("conf"));
        return "ZooKeeper " + version + ", "
                + List.of("tickTime", "minSessionTimeout", "maxSessionTimeout", "initLimit", "syncLimit").stream()
                        .map(key -> key + " " + settings.get(key))
                        .collect(Collectors.joining(", "));
    }

    /** Of lines such as {@code key: value} or {@code key=value}. */
    private static Map<String, String> lines(String answer) {
        return answer.lines()
                .map(line -> line.split("[:=]", 2))
                .filter(pair -> pair.length == 2)
                .collect(Collectors.toMap(pair -> pair[0].strip(), pair -> pair[1].strip(), (first, second) -> first));
    }

    @Override
    public Map<String, String> settings(List<Integer> ports) {
        return Map.of("snowflake.zookeeper.connect-string", joined(ports, "127.0.0.1:"));
    }

    private <T> Optional<T> administrate(Function<ZooKeeperAdministrator, T> question) {
        return ask(server -> {
            try (ZooKeeperAdministrator administrator = ZooKeeperAdministrator.of(server)) {
                return question.apply(administrator);
            }
        });
    }

    @Override
    public boolean deleteOwner(String namespace, int workerId) {
        return administrate(administrator -> administrator.delete(owner(namespace, workerId)))
                .orElse(false);
    }

    @Override
    public boolean expireOwner(String namespace, int workerId) {
        return administrate(administrator -> administrator.endSessionOf(owner(namespace, workerId)))
                .orElse(false);
    }

    @Override
    public Map<Integer, String> marks(String namespace) {
        String parent = "/" + namespace + "/marks";
        return administrate(administrator -> {
                    Map<Integer, String> marks = new TreeMap<>();
                    for (String workerId : administrator.children(parent)) {
                        administrator
                                .value(parent + "/" + workerId)
                                .ifPresent(mark -> marks.put(Integer.valueOf(workerId), mark));
                    }
                    return marks;
                })
                .orElseThrow(() -> new IllegalStateException("no member answers"));
    }
}
