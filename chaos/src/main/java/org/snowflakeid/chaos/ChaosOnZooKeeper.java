// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.snowflakeid.testservers.ZooKeeperAdministrator;
import org.snowflakeid.testservers.ZooKeeperEnsemble;
import org.snowflakeid.testservers.ZooKeeperServer;

/** A ZooKeeper ensemble. */
final class ChaosOnZooKeeper implements Cluster {
    private final ZooKeeperEnsemble ensemble;

    ChaosOnZooKeeper(int members) {
        ensemble = ZooKeeperEnsemble.start(members);
    }

    private ZooKeeperServer server(int member) {
        return ensemble.members().get(member);
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
    public int size() {
        return ensemble.members().size();
    }

    @Override
    public int port(int member) {
        return server(member).clientPort();
    }

    @Override
    public Map<String, String> settings(List<Integer> ports) {
        return Map.of(
                "snowflake.zookeeper.connect-string",
                ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(",")));
    }

    @Override
    public OptionalInt leader() {
        for (int member = 0; member < size(); member++) {
            if (server(member).isRunning() && server(member).leads()) {
                return OptionalInt.of(member);
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
                // It may have ended by itself, and nobody have cleared up after it.
                server(member).kill();
                server(member).startAgain();
            }
        }
    }

    @Override
    public void awaitHealthy() {
        ensemble.members().forEach(ZooKeeperServer::awaitHealthy);
    }

    /** By the first member that answers: one may be frozen, or all but one be dead. */
    private <T> Optional<T> ask(Function<ZooKeeperAdministrator, T> question) {
        for (ZooKeeperServer server : ensemble.members()) {
            if (server.isRunning()) {
                try (ZooKeeperAdministrator administrator = ZooKeeperAdministrator.of(server)) {
                    return Optional.of(question.apply(administrator));
                } catch (IllegalStateException | UncheckedIOException noAnswer) {
                    // The next one, perhaps.
                }
            }
        }
        return Optional.empty();
    }

    private static String owner(String namespace, int workerId) {
        return "/" + namespace + "/workers/" + workerId;
    }

    @Override
    public boolean deleteOwner(String namespace, int workerId) {
        return ask(administrator -> administrator.delete(owner(namespace, workerId)))
                .orElse(false);
    }

    @Override
    public boolean expireOwner(String namespace, int workerId) {
        return ask(administrator -> administrator.endSessionOf(owner(namespace, workerId)))
                .orElse(false);
    }

    @Override
    public Map<Integer, String> marks(String namespace) {
        String parent = "/" + namespace + "/marks";
        return ask(administrator -> {
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

    @Override
    public void close() {
        ensemble.close();
    }
}
