// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A child process with a directory of its own, deleted on close; never outlives this JVM. */
final class ServerProcess implements AutoCloseable {
    private final String name;
    private final Path directory;
    private final Thread reaper = new Thread(this::kill);
    private volatile @Nullable Process process;

    /** @param name for messages, and of its directory and log */
    ServerProcess(String name) {
        this.name = name;
        try {
            this.directory = Files.createTempDirectory(name + "-test-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Runtime.getRuntime().addShutdownHook(reaper);
    }

    Path directory() {
        return directory;
    }

    void launch(List<String> command) {
        if (process != null) {
            throw new IllegalStateException(name + " is running");
        }
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.appendTo(log().toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(name + " cannot be started", e);
        }
    }

    private Path log() {
        return directory.resolve(name + ".log");
    }

    boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** The end of what it wrote. */
    String logTail() {
        try {
            String all = Files.readString(log());
            return all.substring(Math.max(0, all.length() - 3_000));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** What it has used of a processor's time since it was launched. */
    Duration cpuTime() {
        return running().info().totalCpuDuration().orElseThrow();
    }

    void signal(String signal) {
        long pid = running().pid();
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                    .redirectErrorStream(true)
                    .start();
            String output = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            awaitEnd(kill);
            if (kill.exitValue() != 0) {
                throw new IllegalStateException("kill -" + signal + " " + pid + ": " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asks it to end and waits until it has. */
    void terminate() {
        Process running = running();
        running.destroy();
        awaitEnd(running);
        process = null;
    }

    /** Ends it at once; harmless if it has ended. */
    void kill() {
        Process running = process;
        if (running != null && running.isAlive()) {
            running.destroyForcibly();
            awaitEnd(running);
        }
        process = null;
    }

    private Process running() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException(name + " is not running");
        }
        return running;
    }

    private static void awaitEnd(Process child) {
        try {
            if (!child.waitFor(20, TimeUnit.SECONDS)) {
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
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
