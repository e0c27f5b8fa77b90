// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A child process. */
final class ServerProcess implements Server {
    private final String name;
    private final Map<String, String> environment;
    private final Path directory;
    private final Thread reaper = new Thread(this::kill);
    private volatile @Nullable Process process;

    /** @param name for messages, and of its directory and log */
    ServerProcess(String name, Map<String, String> environment) {
        this.name = name;
        this.environment = environment;
        this.directory = Directories.createTemporary(name);
        Runtime.getRuntime().addShutdownHook(reaper);
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public void launch(List<String> command) {
        requireNotRunning();
        try {
            process = builder(command)
                    .redirectOutput(Redirect.appendTo(log().toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(name + " cannot be started", e);
        }
    }

    private ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        return builder;
    }

    private Path log() {
        return directory.resolve(name + ".log");
    }

    @Override
    public boolean isAlive() {
        Process running = process;
        return running != null && running.isAlive();
    }

    @Override
    public String logTail() {
        try {
            String all = Files.readString(log());
            return all.substring(Math.max(0, all.length() - 3_000));
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public Duration cpuTime() {
        return Stream.concat(Stream.of(running().toHandle()), running().descendants())
                .map(ServerProcess::cpuTime)
                .reduce(Duration.ZERO, Duration::plus);
    }

    /** With that of its children that have ended, where the system tells it: a database has one for each connection. */
    private static Duration cpuTime(ProcessHandle process) {
        try {
            String[] fields = state(process).split(" ", -1);
            long ticks =
                    Arrays.stream(fields, 11, 15).mapToLong(Long::parseLong).sum();
            return Duration.ofMillis(ticks * 10);
        } catch (IOException endedOrNotLinux) {
            return process.info().totalCpuDuration().orElse(Duration.ZERO);
        }
    }

    /** A line of which the first letter says whether it runs. */
    private static String state(ProcessHandle process) throws IOException {
        String line = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
        // What stands before may have blanks.
        return line.substring(line.lastIndexOf(')') + 2);
    }

    /** An ended process stays a zombie where the first process of a container does not reap it. */
    private static boolean hasEnded(ProcessHandle process) {
        try {
            return !process.isAlive() || state(process).startsWith("Z");
        } catch (IOException endedOrNotLinux) {
            return !process.isAlive();
        }
    }

    @Override
    public void signal(String signal) {
        // The process first: one that stands still has no more children.
        signal(signal, running());
        List<String> children =
                running().descendants().map(child -> Long.toString(child.pid())).toList();
        if (!children.isEmpty()) {
            List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
            command.addAll(children);
            try {
                run(command);
            } catch (IllegalStateException someHaveEnded) {
                // The others have had it all the same.
            }
        }
    }

    private void signal(String signal, Process to) {
        run(List.of("kill", "-" + signal, Long.toString(to.pid())));
    }

    /** So that it has no more children than those that are seen. */
    private void standStill(Process running) {
        try {
            signal("STOP", running);
        } catch (IllegalStateException hasEnded) {
            // It has none then.
        }
    }

    @Override
    public void terminate() {
        Process running = running();
        running.destroy();
        awaitEnd(running);
        process = null;
    }

    @Override
    public void kill() {
        Process running = process;
        if (running != null && running.isAlive()) {
            standStill(running);
            List<ProcessHandle> children = running.descendants().toList();
            running.destroyForcibly();
            children.forEach(ProcessHandle::destroyForcibly);
            awaitEnd(running);
            // They have its memory and its files as long as they are there: it could not be started again.
            children.forEach(child -> TestServer.await("a process has ended", () -> hasEnded(child)));
        }
        process = null;
    }

    @Override
    public Path reachableData() {
        return data();
    }

    @Override
    public void wipe() {
        requireNotRunning();
        Directories.delete(data());
    }

    private void requireNotRunning() {
        if (process != null) {
            throw new IllegalStateException(name + " is running");
        }
    }

    private Process running() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException(name + " is not running");
        }
        return running;
    }

    @Override
    public String run(List<String> command) {
        try {
            Process child = builder(command).start();
            child.getOutputStream().close();
            String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            awaitEnd(child);
            if (child.exitValue() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(String.join(" ", command), e);
        }
    }

    private static void awaitEnd(Process child) {
        try {
            if (!child.waitFor(60, TimeUnit.SECONDS)) {
                child.destroyForcibly();
                throw new IllegalStateException("a process did not end: " + child.info());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        kill();
        try {
            Runtime.getRuntime().removeShutdownHook(reaper);
        } catch (IllegalStateException alreadyShuttingDown) {
            // the hook is running: it kills the process too
        }
        Directories.delete(directory);
    }
}
