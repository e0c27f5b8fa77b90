// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.snowflakeid.testservers.TestServer;

/** One generator under the schedule: its processes are started chapter by chapter, and what happens in it is done to them. */
final class Trial {
    private static final long FIRST_IDS_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(90);
    private static final long UNTIL_STARTED_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Subject subject;
    private final List<String> java;
    private final Path directory;
    private final PrintStream out;
    private final Map<String, InstanceProcess> processes = new TreeMap<>();
    private final List<Life> lives = new ArrayList<>();
    private final Map<String, Long> endedByThemselves = new TreeMap<>();
    private Optional<TestServer> server = Optional.empty();

    /** @param coordinator its name and version; empty: none */
    record Outcome(Subject subject, String coordinator, List<Life> lives) {}

    /**
     * @param java arguments of a JVM: class path, and the class of a process
     * @param directory for recordings and logs
     */
    Trial(Subject subject, List<String> java, Path directory, PrintStream out) {
        this.subject = subject;
        this.java = List.copyOf(java);
        this.directory = directory;
        this.out = out;
    }

    Outcome run(List<Chapter.Plan> plans) throws InterruptedException {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server = subject.coordinator().start();
        Thread rescue = new Thread(() -> processes.values().forEach(InstanceProcess::close));
        Runtime.getRuntime().addShutdownHook(rescue);
        try {
            String coordinator = server.map(Coordinator::version).orElse("");
            for (Chapter.Plan plan : plans) {
                if (server.isPresent() || !plan.chapter().needsCoordinator()) {
                    run(plan);
                }
            }
            return new Outcome(subject, coordinator, List.copyOf(lives));
        } finally {
            processes.values().forEach(InstanceProcess::close);
            Runtime.getRuntime().removeShutdownHook(rescue);
            server.ifPresent(TestServer::close);
        }
    }

    private void run(Chapter.Plan plan) throws InterruptedException {
        say(plan.chapter().toString());
        processes.clear();
        endedByThemselves.clear();
        for (String instance : plan.chapter().first()) {
            start(plan, instance);
        }
        awaitFirstIds();
        long began = System.nanoTime();
        boolean starting = false;
        for (Event event : plan.events()) {
            if (starting && event.kind() != Event.Kind.START) {
                began += startsTook(plan);
                starting = false;
            }
            sleepUntil(began + event.at().toNanos());
            happen(plan, event);
            starting |= event.kind() == Event.Kind.START;
        }
        began += starting ? startsTook(plan) : 0;
        sleepUntil(began + plan.length().toNanos());
        stopAll();
        processes.values().forEach(process -> lives.addAll(process.lives()));
    }

    private void say(String text) {
        out.println(Instant.now().toString().substring(0, 19) + " " + subject.name() + ": " + text);
    }

    private void happen(Chapter.Plan plan, Event event) {
        switch (event.kind()) {
            case START -> start(plan, event.instance());
            case KILL -> process(event).kill();
            case PAUSE -> process(event).pause();
            case RESUME -> process(event).resume();
            case SET_CLOCK -> process(event).setClock(event.millis());
            case FREEZE_COORDINATOR -> server.ifPresent(TestServer::pause);
            case THAW_COORDINATOR -> server.ifPresent(TestServer::resume);
            case WIPE_COORDINATOR -> server.ifPresent(Trial::wipe);
        }
    }

    private static void wipe(TestServer server) {
        server.kill();
        server.wipe();
        server.startAgain();
        server.awaitHealthy();
    }

    private InstanceProcess process(Event event) {
        return Objects.requireNonNull(processes.get(event.instance()));
    }

    private void start(Chapter.Plan plan, String instance) {
        processes.computeIfAbsent(instance, name -> create(plan, name)).start();
    }

    private InstanceProcess create(Chapter.Plan plan, String instance) {
        int unique = instance.charAt(0) - 'A';
        int number = plan.chapter() == Chapter.TWINS ? 0 : unique;
        int port = server.map(TestServer::clientPort).orElse(0);
        List<String> arguments = subject.settings().of(port, number, unique).entrySet().stream()
                .map(setting -> setting.getKey() + "=" + setting.getValue())
                .sorted()
                .toList();
        String name = plan.chapter() + "-" + plan.round() + "-" + instance;
        Path folder = directory.resolve("work-" + (plan.chapter() == Chapter.TWINS ? "twin-" : "") + instance);
        return new InstanceProcess(
                plan.chapter(), new InstanceProcess.Start(name, directory, folder, java, subject.adapter(), arguments));
    }

    /** The schedule stands still while processes start, however long a JVM takes on this machine; but not where they cannot. */
    private long startsTook(Chapter.Plan plan) throws InterruptedException {
        long since = System.nanoTime();
        if (plan.chapter() != Chapter.FROZEN) {
            awaitFirstIds();
        }
        return System.nanoTime() - since;
    }

    private void awaitFirstIds() throws InterruptedException {
        long deadline = System.nanoTime() + FIRST_IDS_PATIENCE_NANOS;
        while (!processes.values().stream().allMatch(InstanceProcess::hasBegun)) {
            if (System.nanoTime() - deadline > 0) {
                say("not every process has an id yet");
                return;
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private void sleepUntil(long nanos) throws InterruptedException {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, 200_000_000));
            processes.forEach(this::supervise);
        }
    }

    /** Starts a process again a second after it ended by itself. */
    private void supervise(String instance, InstanceProcess process) {
        if (process.endedByItself()) {
            long since = endedByThemselves.computeIfAbsent(instance, name -> System.nanoTime());
            if (System.nanoTime() - since > UNTIL_STARTED_AGAIN_NANOS) {
                endedByThemselves.remove(instance);
                process.kill();
                process.start();
            }
        }
    }

    private void stopAll() throws InterruptedException {
        List<Thread> stops = processes.values().stream()
                .map(process -> Thread.ofVirtual().start(process::stop))
                .toList();
        for (Thread stop : stops) {
            stop.join();
        }
    }
}
