// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** One server of a coordinator on loopback ports of its own. Its faults are those of a process: paused, killed, started again. */
public abstract sealed class TestServer implements AutoCloseable
        permits ConsulServer, DatabaseServer, EtcdProxy, EtcdServer, NacosServer, RedisServer, ZooKeeperServer {
    private static final Duration START_TIMEOUT = Duration.ofMinutes(3);

    /** Milliseconds to wait for an answer that is asked for again and again. */
    static final int BRIEFLY = 2_000;

    /** The same for one that is asked for once: a busy machine holds a server up for seconds. */
    static final int PATIENTLY = 30_000;

    private final String description;
    final Server server;

    /** @param description for messages */
    TestServer(String description, Server server) {
        this.description = description;
        this.server = server;
    }

    /** Starts it on what data it has, without waiting until it answers. */
    abstract void launch();

    /** Whether it answers, and has a leader. */
    abstract boolean healthy();

    /** Whether it leads the others. */
    public abstract boolean leads();

    /** Where clients connect. */
    public abstract int clientPort();

    /** Returns once it has a leader and answers. */
    public void awaitHealthy() {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!healthy()) {
            if (!server.isAlive() || System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(description + " did not become healthy:\n" + server.logTail());
            }
            pauseBriefly();
        }
    }

    static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("waited in vain until " + what);
            }
            pauseBriefly();
        }
    }

    private static void pauseBriefly() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Starts it and waits until it answers; closes it if it does not. */
    <S extends TestServer> S started(S self) {
        try {
            launch();
            awaitHealthy();
            return self;
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    public boolean isRunning() {
        return server.isAlive();
    }

    /** What it has used of a processor's time since it was started. */
    public Duration cpuTime() {
        return server.cpuTime();
    }

    /** Freezes it (SIGSTOP): it accepts connections, but answers nothing. */
    public void pause() {
        server.signal("STOP");
    }

    /** Ends a {@link #pause()}. */
    public void resume() {
        server.signal("CONT");
    }

    /** Ends it at once (SIGKILL); its data stay. */
    public void kill() {
        server.kill();
    }

    /** Asks it to end (SIGTERM) and waits until it has; its data stay. */
    public void stop() {
        server.terminate();
    }

    /** Starts a stopped or killed server again on the same ports and data, without waiting for it. */
    public void startAgain() {
        launch();
    }

    /** Loses all data of a server that does not run. */
    public void wipe() {
        server.wipe();
    }

    /** Kills it and deletes its data. */
    @Override
    public void close() {
        server.close();
    }
}
