// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.chaos.Recording;
import org.snowflakeid.compare.instance.ClockAgent;
import org.snowflakeid.compare.instance.WrongClock;

/** Processes of one place, one after the other: with the same number, folder and clock. */
final class InstanceProcess implements AutoCloseable {
    private final Chapter chapter;
    private final Start start;
    private final Path clockFile;
    private final ByteBuffer clock;

    /** The command that gives it a PID namespace of its own, if it has one. */
    private final List<String> wrapping;

    private final List<Life> lives = new ArrayList<>();
    private final List<Life.Pause> pauses = new ArrayList<>();
    private int starts;
    private long pausedNanos;
    private boolean paused;
    private @Nullable Process process;
    private long endedNanos;

    /**
     * What its processes are started with.
     *
     * @param name of its recordings and logs, but for a number
     * @param directory for these
     * @param folder in which they run, and where their temporary files are
     * @param java arguments of the JVM: the class path, and the class that is started
     * @param arguments adapter, and settings as {@code key=value}
     */
    record Start(String name, Path directory, Path folder, List<String> java, String adapter, List<String> arguments) {}

    InstanceProcess(Chapter chapter, Start start) {
        this.chapter = chapter;
        this.start = start;
        this.clockFile = start.directory().resolve(start.name() + ".clock");
        this.clock = WrongClock.open(clockFile);
        this.wrapping = chapter == Chapter.TWINS ? PidNamespace.wrapping() : List.of();
    }

    void start() {
        starts++;
        List<String> command = new ArrayList<>(wrapping);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.util.logging.SimpleFormatter.format=%4$s %5$s%6$s%n",
                "-Djava.io.tmpdir=" + start.folder()));
        if (Runtime.version().feature() >= 24) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        if (chapter == Chapter.CLOCKS) {
            command.add("-javaagent:" + agent() + "=" + clockFile);
        }
        command.addAll(start.java());
        command.add(start.adapter());
        command.add(file("ids").toString());
        command.addAll(start.arguments());
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(start.folder().toFile())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(file("log").toFile()));
        // The same messages everywhere, whatever the locale.
        builder.environment().put("LC_ALL", "C.UTF-8");
        try {
            Files.createDirectories(start.folder());
            Process started = builder.start();
            endedNanos = 0;
            paused = false;
            pauses.clear();
            process = started;
            CompletableFuture<Void> unused = started.onExit().thenRun(() -> noteEnd(started));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path agent() {
        return Path.of(URI.create(ClockAgent.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString()));
    }

    private Path file(String ending) {
        return start.directory().resolve(start.name() + starts + "." + ending);
    }

    private synchronized void noteEnd(Process ended) {
        if (ended.equals(process) && endedNanos == 0) {
            endedNanos = System.nanoTime();
        }
    }

    /** Whether it ended without being told to. */
    synchronized boolean endedByItself() {
        return process != null && endedNanos != 0;
    }

    /** Whether it got an id, or never will. */
    boolean hasBegun() {
        return endedByItself() || (Files.exists(file("ids")) && new Recording(file("ids")).next());
    }

    /** How wrong its clock is from now on. */
    void setClock(long millis) {
        clock.putLong(0, millis);
    }

    void pause() {
        paused = true;
        pausedNanos = System.nanoTime();
        signal("STOP");
    }

    void resume() {
        if (paused) {
            signal("CONT");
            pauses.add(new Life.Pause(pausedNanos, System.nanoTime()));
            paused = false;
        }
    }

    private void signal(String signal) {
        try {
            int status = new ProcessBuilder(
                            "kill", "-" + signal, Long.toString(virtualMachine().pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (status != 0 && !endedByItself()) {
                throw new IllegalStateException("kill -" + signal + " ended with " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The JVM itself, not the command that gives it a namespace. */
    private ProcessHandle virtualMachine() {
        Process running = running();
        return wrapping.isEmpty()
                ? running.toHandle()
                : running.children().findFirst().orElse(running.toHandle());
    }

    private Process running() {
        if (process == null) {
            throw new IllegalStateException(start.name() + " was not started");
        }
        return process;
    }

    /** SIGKILL. */
    void kill() {
        end(ProcessHandle::destroyForcibly);
    }

    /** SIGTERM, and SIGKILL if that does not help. */
    void stop() {
        resume();
        end(ProcessHandle::destroy);
    }

    private interface Ending {
        boolean of(ProcessHandle process);
    }

    private void end(Ending ending) {
        Process running = process;
        if (running == null) {
            return;
        }
        ProcessHandle virtualMachine = virtualMachine();
        long ended;
        synchronized (this) {
            ended = endedNanos == 0 ? System.nanoTime() : endedNanos;
            process = null;
        }
        boolean unused = ending.of(virtualMachine);
        try {
            if (!running.waitFor(12, TimeUnit.SECONDS)) {
                virtualMachine.destroyForcibly();
                running.destroyForcibly();
                running.waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            running.destroyForcibly();
        }
        lives.add(new Life(chapter, file("ids"), file("log"), ended, List.copyOf(pauses)));
    }

    /** Of the processes that have ended. */
    List<Life> lives() {
        return lives;
    }

    @Override
    public void close() {
        kill();
    }
}
