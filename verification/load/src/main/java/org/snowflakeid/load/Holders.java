// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.load.LoadReport.Figure;

/** Many generators, each with a connection of its own as in a process of its own: they claim all at once, then hold. */
final class Holders implements AutoCloseable {

    static final String UNTIL_ALL = "s until all had one";
    static final String SERVER = "server % of a processor";

    /** The first window is shorter and doubles: until then extensions come more often. */
    private static final Duration UNTIL_FULL_WINDOW = Duration.ofSeconds(45);

    private static final int STARTS = 5;

    private final MeasuredServer server;
    private final SnowflakeSettings settings;
    private final List<ConnectedProvider> connections;
    private List<LeasedSnowflake> generators = List.of();

    Holders(MeasuredServer server, String window, int count) throws Exception {
        this.server = server;
        Map<String, String> values = new HashMap<>(server.settings());
        values.put("snowflake.window", window);
        this.settings = SnowflakeSettings.of(values);
        createNamespace();
        this.connections = all(count, i -> new ConnectedProvider(server.coordinator(), values, settings.window()));
    }

    /** Otherwise all would try to create it, which happens once in the life of an installation. */
    private void createNamespace() {
        LeasedSnowflake.open(settings).close();
    }

    private Duration processorTime() {
        return Objects.requireNonNull(server.processorTime()).get();
    }

    private long extended() {
        return connections.stream().mapToLong(ConnectedProvider::extended).sum();
    }

    private interface Act<T> {
        T by(int holder) throws Exception;
    }

    private static <T> List<T> all(int count, Act<T> act) throws InterruptedException, ExecutionException {
        try (ExecutorService threads = Executors.newFixedThreadPool(count)) {
            List<Callable<T>> acts = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int holder = i;
                acts.add(() -> act.by(holder));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> result : threads.invokeAll(acts)) {
                results.add(result.get());
            }
            return results;
        }
    }

    /** Opens again if the start fails, as an orchestrator does with a process. */
    private LeasedSnowflake open(ConnectedProvider connection, AtomicInteger failed) {
        for (int attempt = 1; ; attempt++) {
            try {
                return LeasedSnowflake.open(settings, connection, Platform.system());
            } catch (CoordinatorException e) {
                failed.incrementAndGet();
                if (attempt == STARTS) {
                    throw e;
                }
            }
        }
    }

    /** How long until half and until all have a worker id, and what each asked for. */
    List<Figure> claim() throws InterruptedException, ExecutionException {
        Duration processor = processorTime();
        long begin = System.nanoTime();
        Queue<Long> took = new ConcurrentLinkedQueue<>();
        AtomicInteger failed = new AtomicInteger();
        generators = all(connections.size(), i -> {
            LeasedSnowflake generator = open(connections.get(i), failed);
            took.add(System.nanoTime() - begin);
            return generator;
        });
        Duration processorUsed = processorTime().minus(processor);
        int asked = connections.stream().mapToInt(ConnectedProvider::asked).sum();
        Set<Integer> workerIds = new HashSet<>();
        for (LeasedSnowflake generator : generators) {
            workerIds.add(generator.status().workerId().orElseThrow());
        }
        int count = generators.size();
        if (workerIds.size() != count) {
            throw new IllegalStateException("two hold one worker id");
        }
        long[] nanos = took.stream().mapToLong(Long::longValue).sorted().toArray();
        return List.of(
                Figure.of("s until half had one", "%.1f", nanos[count / 2] / 1e9),
                Figure.of(UNTIL_ALL, "%.1f", nanos[count - 1] / 1e9),
                Figure.of("failed starts", "%d", failed.get()),
                Figure.of("transactions each", "%.2f", 1.0 * asked / count),
                Figure.of("server processor s", "%.2f", processorUsed.toMillis() / 1e3));
    }

    /** Extensions a second, and the share of a processor that the server takes. */
    List<Figure> hold(int seconds) throws InterruptedException {
        Thread.sleep(UNTIL_FULL_WINDOW.toMillis());
        long extended = extended();
        Duration processor = processorTime();
        long begin = System.nanoTime();
        Thread.sleep(seconds * 1_000L);
        double took = (System.nanoTime() - begin) / 1e9;
        double rate = (extended() - extended) / took;
        double share = processorTime().minus(processor).toNanos() / 1e9 / took;
        long ready = generators.stream().filter(ids -> ids.status().ready()).count();
        return List.of(
                Figure.of("measured s", "%d", seconds),
                Figure.of("window s", "%d", settings.window().toSeconds()),
                Figure.of("writes a second", "%.1f", rate),
                Figure.of(SERVER, "%.1f", share * 100),
                Figure.of("server processor ms a write", "%.2f", share * 1_000 / rate),
                Figure.of("ready", "%d", ready));
    }

    @Override
    public void close() {
        try (ExecutorService threads = Executors.newFixedThreadPool(Math.max(1, generators.size()))) {
            generators.forEach(generator -> threads.execute(generator::close));
        }
        connections.forEach(ConnectedProvider::close);
    }
}
