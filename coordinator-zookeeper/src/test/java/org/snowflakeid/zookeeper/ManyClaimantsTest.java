// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.unique;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.ZooKeeperServer;

/** All worker ids claimed at once, then extended as by as many processes. */
@Isolated("it takes the time")
class ManyClaimantsTest {
    private static final int SESSIONS = 64;
    private static final int EACH = 16;

    @Test
    void oneThousandAndTwentyFourClaimantsOverSixtyFourSessionsGetDistinctWorkerIds() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(SESSIONS);
        try (ZooKeeperServer server = ZooKeeperServer.start()) {
            claimAndExtendAll(server, threads, "client and server cold");
            claimAndExtendAll(server, threads, "warm");
        } finally {
            threads.shutdownNow();
        }
    }

    private static void claimAndExtendAll(ZooKeeperServer server, ExecutorService threads, String state)
            throws Exception {
        String namespace = Node.freshNamespace();
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < SESSIONS; i++) {
            nodes.add(ZooKeeperNode.at(server.connectString(), namespace));
        }
        try {
            claimAndExtendAll(server, threads, nodes, state);
        } finally {
            nodes.forEach(Node::close);
        }
    }

    private static void claimAndExtendAll(
            ZooKeeperServer server, ExecutorService threads, List<Node> nodes, String state) throws Exception {
        all(threads, nodes, node -> await(PATIENCE, () -> isConnected(node)));
        Stored meta = nodes.get(0).createMeta();

        long start = System.nanoTime();
        List<Map<Integer, Stored>> claimed = all(threads, nodes, node -> claim(node, meta));
        Duration took = Duration.ofNanos(System.nanoTime() - start);

        long distinct =
                claimed.stream().flatMap(c -> c.keySet().stream()).distinct().count();
        assertThat(distinct).isEqualTo(SESSIONS * EACH);
        assertThat(nodes.get(0).read(0, 1_023).slots()).allMatch(slot -> slot.owner() != null);

        Duration before = server.cpuTime();
        long extending = System.nanoTime();
        all(threads, nodes, node -> extend(node, meta, claimed.get(nodes.indexOf(node))));
        System.out.printf(
                "1,024 claims over 64 sessions, %s: %d ms; 1,024 extensions: %d ms, server's processor time %d ms%n",
                state,
                took.toMillis(),
                Duration.ofNanos(System.nanoTime() - extending).toMillis(),
                server.cpuTime().minus(before).toMillis());
    }

    /** A server that has just started, on a machine that is busy, does not take in so many at once. */
    private static boolean isConnected(Node node) {
        try {
            return node.read(0, 0).meta() == null;
        } catch (CoordinatorException notYet) {
            return false;
        }
    }

    private interface Act<T> {
        T by(Node node) throws Exception;
    }

    private static <T> List<T> all(ExecutorService threads, List<Node> nodes, Act<T> act) throws Exception {
        List<Callable<T>> acts =
                nodes.stream().map(node -> (Callable<T>) () -> act.by(node)).toList();
        List<T> results = new ArrayList<>();
        for (Future<T> result : threads.invokeAll(acts)) {
            results.add(result.get());
        }
        return results;
    }

    /** As core does: blindly at random a few times, then among what is seen to be free. */
    private static Map<Integer, Stored> claim(Node node, Stored meta) {
        Random random = new Random();
        Map<Integer, Stored> mine = new HashMap<>();
        Deque<Integer> free = new ArrayDeque<>();
        for (int blind = 0; mine.size() < EACH; ) {
            boolean guess = blind < 6;
            if (!guess && free.isEmpty()) {
                List<Integer> seen = node.read(0, 1_023).slots().stream()
                        .filter(slot -> slot.owner() == null)
                        .map(Slot::workerId)
                        .collect(Collectors.toCollection(ArrayList::new));
                Collections.shuffle(seen, random);
                free.addAll(seen);
            }
            int id = guess ? random.nextInt(1_024) : free.pop();
            CasResult result =
                    node.coordinator.claim(id, null, unique("limit=1"), owner(node, id), false, meta, TIMEOUT);
            if (result instanceof CasResult.Applied applied) {
                mine.put(id, applied.written());
                blind = 0;
            } else {
                blind++;
            }
        }
        return mine;
    }

    private static String owner(Node node, int id) {
        return "host=" + System.identityHashCode(node) + " id=" + id;
    }

    private static boolean extend(Node node, Stored meta, Map<Integer, Stored> mine) {
        mine.forEach((id, mark) -> assertThat(
                        applied(node.coordinator.extend(id, mark, unique("limit=2"), owner(node, id), meta, TIMEOUT))
                                .ownerHeld())
                .isTrue());
        return true;
    }
}
