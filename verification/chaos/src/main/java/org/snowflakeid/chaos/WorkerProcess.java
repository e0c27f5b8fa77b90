// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.testservers.TcpProxy;

/** The {@link Worker} of one number: one process after the other, each behind the same proxies, one per member. */
final class WorkerProcess implements AutoCloseable {
    private final int number;
    private final Worker.Options options;
    private final Consumer<String> unexpected;
    private final List<TcpProxy> proxies;
    private final int[] connectionsFrozen;
    private final int[] repliesHeld;
    private final String writing;
    private int frozen;
    private int processes;
    private @Nullable Process process;
    private @Nullable Writer commands;
    private volatile long issuedBefore;
    private volatile long issued;
    private volatile long lastIssuedNanos = Long.MIN_VALUE;
    private volatile int workerId = -1;

    /**
     * @param options but for the coordinator's settings
     * @param unexpected is told what should not happen
     */
    WorkerProcess(Worker.Options options, Cluster cluster, Consumer<String> unexpected) {
        this.number = options.number();
        this.unexpected = unexpected;
        this.proxies = IntStream.range(0, cluster.size())
                .mapToObj(member -> TcpProxy.to(cluster.port(member)))
                .toList();
        this.connectionsFrozen = new int[proxies.size()];
        this.repliesHeld = new int[proxies.size()];
        this.writing = cluster.writing();
        Map<String, String> keys = new HashMap<>(options.keys());
        keys.putAll(cluster.settings(proxies.stream().map(TcpProxy::port).toList()));
        this.options = new Worker.Options(
                options.directory(), number, 0, options.idsPerSecond(), options.blind(), Map.copyOf(keys));
    }

    int number() {
        return number;
    }

    /** Does nothing if one is running. */
    synchronized void start() {
        Process before = process;
        if (before != null && before.isAlive()) {
            return;
        }
        processes++;
        Worker.Options mine = new Worker.Options(
                options.directory(), number, processes, options.idsPerSecond(), options.blind(), options.keys());
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.util.logging.SimpleFormatter.format=%1$tFT%1$tT.%1$tL%1$tz %4$s %5$s%6$s%n",
                "-cp",
                System.getProperty("java.class.path")));
        if (Runtime.version().feature() >= 24) {
            command.add(1, "--sun-misc-unsafe-memory-access=allow");
        }
        command.add(Worker.class.getName());
        command.addAll(mine.arguments());
        Path log = options.directory().resolve(mine.name() + ".log");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(Redirect.to(log.toFile()));
        // The same messages everywhere, whatever the locale.
        builder.environment().put("LC_ALL", "C.UTF-8");
        try {
            Process started = builder.start();
            process = started;
            commands = started.outputWriter(StandardCharsets.UTF_8);
            issuedBefore += issued;
            issued = 0;
            Thread.ofVirtual().name("progress of " + mine.name()).start(() -> follow(started));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void follow(Process started) {
        try (BufferedReader lines = started.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", -1);
                if (words.length == 3) {
                    note(started, Long.parseLong(words[0]), Long.parseLong(words[1]), Integer.parseInt(words[2]));
                } else {
                    unexpected.accept("worker " + number + " says: " + line);
                }
            }
        } catch (IOException endOfProcess) {
            // It was killed.
        }
        note(started, -1, 0, -1);
    }

    private synchronized void note(Process teller, long ids, long nanos, int id) {
        if (teller.equals(process)) {
            if (ids >= 0) {
                issued = ids;
            }
            if (nanos != 0) {
                lastIssuedNanos = nanos;
            }
            workerId = id;
        }
    }

    /** About how many ids its processes got until now. */
    long issued() {
        return issuedBefore + issued;
    }

    /** When, by {@link System#nanoTime}, it last got an id, as far as known. */
    long lastIssuedNanos() {
        return lastIssuedNanos;
    }

    boolean hasWorkerId() {
        return workerId >= 0;
    }

    int processes() {
        return processes;
    }

    synchronized boolean freeze() {
        frozen++;
        return signal("STOP");
    }

    synchronized void thaw() {
        frozen--;
        if (frozen == 0) {
            signal("CONT");
        }
    }

    private boolean signal(String signal) {
        Process running = process;
        if (running == null || !running.isAlive()) {
            return false;
        }
        try {
            return new ProcessBuilder("kill", "-" + signal, Long.toString(running.pid()))
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** SIGKILL. */
    synchronized boolean kill() {
        Process running = process;
        if (running == null || !running.isAlive()) {
            return false;
        }
        running.destroyForcibly();
        end(running, 10);
        process = null;
        workerId = -1;
        return true;
    }

    private static boolean end(Process ending, int seconds) {
        try {
            return ending.waitFor(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Sends it a command, which it obeys unless it is frozen. */
    synchronized boolean command(String command) {
        Writer to = commands;
        Process running = process;
        if (to == null || running == null || !running.isAlive()) {
            return false;
        }
        try {
            to.write(command + "\n");
            to.flush();
            return true;
        } catch (IOException justEnded) {
            return false;
        }
    }

    /** Starts a process again that ended without being told to. */
    synchronized void revive() {
        Process running = process;
        if (running != null && !running.isAlive()) {
            unexpected.accept("worker " + number + ", process " + processes + " ended by itself, exit status "
                    + running.exitValue());
            start();
        }
    }

    private IntStream members(long member) {
        return member < 0 ? IntStream.range(0, proxies.size()) : IntStream.of((int) member);
    }

    /** @param member -1: all */
    synchronized void freezeConnections(long member, int by) {
        members(member).forEach(m -> connectionsFrozen[m] += by);
        members(member).forEach(this::apply);
    }

    /** @param member -1: all */
    synchronized void holdReplies(long member, int by) {
        members(member).forEach(m -> repliesHeld[m] += by);
        members(member).forEach(this::apply);
    }

    private void apply(int member) {
        if (connectionsFrozen[member] > 0) {
            proxies.get(member).freeze();
        } else if (repliesHeld[member] > 0) {
            if (writing.isEmpty()) {
                proxies.get(member).holdReplies();
            } else {
                proxies.get(member).holdRepliesFrom(writing);
            }
        } else {
            proxies.get(member).pass();
        }
    }

    /** @param member -1: all, and where most requests only read, behind the next one that writes */
    void cutConnections(long member) {
        members(member).forEach(m -> {
            if (member < 0 && !writing.isEmpty()) {
                proxies.get(m).cutAfter(writing);
            } else {
                proxies.get(m).cut();
            }
        });
    }

    /** Ends it as an operator would. */
    synchronized void stop() {
        Process running = process;
        if (running == null) {
            return;
        }
        command("stop");
        if (!end(running, 30)) {
            unexpected.accept("worker " + number + " did not stop within 30 s");
            kill();
        } else if (running.exitValue() != 0) {
            unexpected.accept("worker " + number + " stopped with exit status " + running.exitValue());
        }
        process = null;
    }

    @Override
    public synchronized void close() {
        kill();
        proxies.forEach(TcpProxy::close);
    }
}
