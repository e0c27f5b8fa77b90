// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.snowflakeid.SnowflakeLayout;

/**
 * One run: starts servers and workers, lets the faults of a schedule happen to them, waits until every worker got ids again
 * after the last of them, stops everything and checks what was recorded.
 */
final class ChaosRun {
    private static final String NAMESPACE = "chaos";
    private static final Pattern LIMIT = Pattern.compile("(?:^| )limit=(\\d+)");
    private static final Duration START_PATIENCE = Duration.ofSeconds(90);
    private static final Duration RECOVERY_PATIENCE = Duration.ofMinutes(3);

    private final Options options;
    private final Schedule schedule;
    private final PrintStream out;
    private final Queue<String> unexpected = new ConcurrentLinkedQueue<>();
    private final Queue<Executed> executed = new ConcurrentLinkedQueue<>();
    private final Map<Long, Duration> processorTime = new ConcurrentHashMap<>();
    private final List<WorkerProcess> workers = new ArrayList<>();

    /**
     * @param between faults, on average
     * @param workerIds how many there are to claim
     * @param idsPerSecond of each worker's batches
     * @param directory for recordings and logs; new
     * @param blind whether the coordinator is broken on purpose
     * @param members how many servers the coordinator has
     */
    record Options(
            long seed,
            Duration length,
            Duration between,
            int workers,
            int workerIds,
            Duration window,
            int idsPerSecond,
            Path directory,
            boolean blind,
            int members) {
        Schedule schedule() {
            return Schedule.of(seed, length, between, new Schedule.Sizes(workers, workerIds, members));
        }
    }

    /** @param hadEffect false: there was nothing to hurt, such as no owner or no leader */
    record Executed(Fault fault, long fromNanos, long toNanos, boolean hadEffect) {}

    /**
     * @param allIssuedAgain how long after the last fault every worker had got an id
     * @param marksTooLow marks that do not lie above every id of their worker id
     * @param marksFarAhead marks more than an hour ahead: their worker ids are lost
     */
    record Outcome(
            Options options,
            String coordinator,
            String version,
            Instant began,
            Duration took,
            Duration processorTime,
            long fromNanos,
            long toNanos,
            List<Executed> executed,
            IdChecker.Findings findings,
            Map<Tally.Count, Long> tally,
            WorkerLogs logs,
            boolean allIssuedAgain,
            Duration untilAllIssued,
            int processes,
            List<String> marksTooLow,
            List<String> marksFarAhead,
            List<String> unexpected) {}

    ChaosRun(Options options, Schedule schedule, PrintStream out) {
        this.options = options;
        this.schedule = schedule;
        this.out = out;
    }

    Outcome run(IntFunction<Cluster> start) throws InterruptedException {
        Instant began = Instant.now();
        long beganNanos = System.nanoTime();
        try {
            Files.createDirectories(options.directory());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        try (Cluster cluster = start.apply(options.members())) {
            Thread rescue = new Thread(() -> workers.forEach(WorkerProcess::close));
            Runtime.getRuntime().addShutdownHook(rescue);
            try {
                IntStream.range(0, options.workers()).forEach(number -> workers.add(worker(number, cluster)));
                workers.forEach(WorkerProcess::start);
                await(
                        "the first ids",
                        START_PATIENCE,
                        () -> holders() == Math.min(workers.size(), options.workerIds()));

                long from = System.nanoTime();
                haveFaults(cluster, from);
                long to = System.nanoTime();

                say("Faults are over, servers are started again");
                heal(cluster);
                boolean allIssued = allIssueAgain(to);
                Duration untilAllIssued = Duration.ofNanos(System.nanoTime() - to);
                say((allIssued ? "Every worker" : "NOT every worker") + " got ids again within "
                        + untilAllIssued.toSeconds() + " s");
                int processes =
                        workers.stream().mapToInt(WorkerProcess::processes).sum();
                measureProcessorTime();
                stopWorkers();

                say("Checking");
                IdChecker.Findings findings = new IdChecker(SnowflakeLayout.STANDARD, 0, options.workerIds() - 1)
                        .check(options.directory(), from);
                List<String> tooLow = new ArrayList<>();
                List<String> farAhead = new ArrayList<>();
                try {
                    checkMarks(cluster.marks(NAMESPACE), findings, tooLow, farAhead);
                } catch (IllegalStateException e) {
                    unexpected.add("marks cannot be read: " + e.getMessage());
                }
                return new Outcome(
                        options,
                        cluster.coordinator(),
                        cluster.version(),
                        began,
                        Duration.ofNanos(System.nanoTime() - beganNanos),
                        processorTime.values().stream().reduce(Duration.ZERO, Duration::plus),
                        from,
                        to,
                        List.copyOf(executed),
                        findings,
                        Tally.sum(options.directory()),
                        WorkerLogs.read(options.directory()),
                        allIssued,
                        untilAllIssued,
                        processes,
                        tooLow,
                        farAhead,
                        List.copyOf(unexpected));
            } finally {
                workers.forEach(WorkerProcess::close);
                Runtime.getRuntime().removeShutdownHook(rescue);
            }
        }
    }

    private WorkerProcess worker(int number, Cluster cluster) {
        Map<String, String> keys = new HashMap<>();
        keys.put("snowflake.coordinator", cluster.coordinator());
        keys.put("snowflake.namespace", NAMESPACE);
        keys.put("snowflake.worker-ids", "0-" + (options.workerIds() - 1));
        keys.put("snowflake.window", options.window().toString());
        keys.put("snowflake.startup-timeout", options.window().multipliedBy(5).toString());
        keys.put(
                "snowflake.clock.on-rollback",
                List.of("wait", "continue", "fail").get(number % 3));
        if (number % 5 == 4) {
            keys.put("snowflake.burst", "PT0.5S");
        }
        Worker.Options worker = new Worker.Options(
                options.directory(), number, 0, options.idsPerSecond(), options.blind(), Map.copyOf(keys));
        return new WorkerProcess(worker, cluster, unexpected::add);
    }

    private int holders() {
        return (int) workers.stream().filter(WorkerProcess::hasWorkerId).count();
    }

    private long issued() {
        return workers.stream().mapToLong(WorkerProcess::issued).sum();
    }

    private void say(String text) {
        out.println(Instant.now().toString().substring(0, 19) + " " + text);
    }

    private void await(String what, Duration patience, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("no " + what + " within " + patience);
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    // ---- faults

    private void haveFaults(Cluster cluster, long from) throws InterruptedException {
        FaultInjection injection = new FaultInjection(cluster, workers, NAMESPACE);
        List<Thread> running = new ArrayList<>();
        long nextNews = from;
        for (Fault fault : schedule.faults()) {
            nextNews = sleepUntil(from + fault.at().toNanos(), nextNews, from);
            running.add(Thread.ofVirtual().start(() -> have(fault, injection, from)));
        }
        sleepUntil(from + schedule.length().toNanos(), nextNews, from);
        for (Thread fault : running) {
            fault.join();
        }
    }

    private long sleepUntil(long nanos, long nextNews, long from) throws InterruptedException {
        long next = nextNews;
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, 500_000_000));
            if (System.nanoTime() - next >= 0) {
                next = System.nanoTime() + 10_000_000_000L;
                workers.forEach(WorkerProcess::revive);
                measureProcessorTime();
                say(String.format(
                        "%4d s: %,d ids, %d workers hold a worker id, %d faults over",
                        (System.nanoTime() - from) / 1_000_000_000, issued(), holders(), executed.size()));
            }
        }
        return next;
    }

    private void measureProcessorTime() {
        ProcessHandle self = ProcessHandle.current();
        self.descendants()
                .forEach(child ->
                        child.info().totalCpuDuration().ifPresent(time -> processorTime.put(child.pid(), time)));
        self.info().totalCpuDuration().ifPresent(time -> processorTime.put(self.pid(), time));
    }

    private void have(Fault fault, FaultInjection injection, long from) {
        long begin = System.nanoTime();
        boolean effect = true;
        try {
            Optional<Runnable> undo = injection.begin(fault);
            effect = undo.isPresent();
            long left = from + fault.end().toNanos() - System.nanoTime();
            if (effect && left > 0) {
                TimeUnit.NANOSECONDS.sleep(left);
            }
            undo.ifPresent(Runnable::run);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            unexpected.add(fault + ": " + e);
        }
        executed.add(new Executed(fault, begin, System.nanoTime(), effect));
    }

    // ---- afterwards

    private void heal(Cluster cluster) {
        try {
            IntStream.range(0, cluster.size()).forEach(cluster::start);
            cluster.awaitHealthy();
        } catch (IllegalStateException e) {
            unexpected.add(e.getMessage());
        }
    }

    /**
     * First all worker ids are held, then those that hold one give it back, until each worker had its turn.
     *
     * @param since monotonic time of the end of the last fault
     */
    private boolean allIssueAgain(long since) throws InterruptedException {
        long deadline = since + RECOVERY_PATIENCE.toNanos();
        long nextTurn = System.nanoTime() + options.window().toNanos();
        while (System.nanoTime() - deadline < 0) {
            workers.forEach(WorkerProcess::revive);
            List<WorkerProcess> waiting = workers.stream()
                    .filter(worker -> worker.lastIssuedNanos() < since)
                    .toList();
            if (waiting.isEmpty()) {
                return true;
            }
            boolean allHeld = holders() == Math.min(workers.size(), options.workerIds());
            if (allHeld || System.nanoTime() - nextTurn > 0) {
                workers.stream()
                        .filter(worker -> worker.hasWorkerId() && worker.lastIssuedNanos() > since)
                        .forEach(worker ->
                                worker.command("close " + options.window().toMillis()));
                nextTurn = System.nanoTime() + 2 * options.window().toNanos();
            }
            TimeUnit.MILLISECONDS.sleep(500);
        }
        return false;
    }

    private void stopWorkers() throws InterruptedException {
        List<Thread> stops = new ArrayList<>();
        for (WorkerProcess worker : workers) {
            stops.add(Thread.ofVirtual().start(worker::stop));
        }
        for (Thread stop : stops) {
            stop.join();
        }
    }

    private void checkMarks(
            Map<Integer, String> marks, IdChecker.Findings findings, List<String> tooLow, List<String> farAhead) {
        long hourAhead = Duration.between(
                        SnowflakeLayout.STANDARD.epoch(), Instant.now().plusSeconds(3600))
                .toMillis();
        findings.highestTicks().forEach((workerId, tick) -> {
            Matcher limit = LIMIT.matcher(marks.getOrDefault(workerId, ""));
            if (!limit.find() || Long.parseLong(limit.group(1)) <= tick) {
                tooLow.add("worker id " + workerId + " issued tick " + tick + ", its mark is " + marks.get(workerId));
            }
        });
        marks.forEach((workerId, mark) -> {
            Matcher limit = LIMIT.matcher(mark);
            if (limit.find() && Long.parseLong(limit.group(1)) > hourAhead) {
                farAhead.add("worker id " + workerId + ": " + mark);
            }
        });
    }
}
