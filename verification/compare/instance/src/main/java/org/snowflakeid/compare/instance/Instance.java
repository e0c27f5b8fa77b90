// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare.instance;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.snowflakeid.chaos.Recorder;

/**
 * A process that takes ids from one generator all the time, in bursts, and writes down each one it got. Arguments: the class of the
 * {@link Peer}, the recording, and its settings as {@code key=value}. It ends by SIGTERM, or with exit status 2 if the generator does not start.
 */
public final class Instance {

    /** How what a call threw begins in the log. */
    public static final String THREW = "THREW ";

    /** How what hindered a start begins in the log. */
    public static final String NOT_STARTED = "NOT STARTED ";

    private static final int BURST = 250;
    private static final long LONGEST_BURST_NANOS = 3_000_000;
    private static final long BETWEEN_BURSTS_MILLIS = 10;
    private static final long AFTER_FAILURE_MILLIS = 100;

    private final Recorder recorder;
    private volatile boolean stopping;

    private Instance(Recorder recorder) {
        this.recorder = recorder;
    }

    public static void main(String... arguments) throws ReflectiveOperationException, InterruptedException {
        Map<String, String> settings = new HashMap<>();
        for (int i = 2; i < arguments.length; i++) {
            String[] pair = arguments[i].split("=", 2);
            settings.put(pair[0], pair[1]);
        }
        Peer peer = Class.forName(arguments[0])
                .asSubclass(Peer.class)
                .getConstructor()
                .newInstance();
        // Opened before the generator: it tells when the generator was asked for.
        Instance instance = new Instance(new Recorder(Path.of(arguments[1])));
        Ids ids = start(peer, settings);
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> instance.stop(main)));
        instance.take(ids);
        ids.close();
    }

    private static Ids start(Peer peer, Map<String, String> settings) {
        try {
            return peer.start(settings);
        } catch (Exception | LinkageError e) {
            System.err.println(NOT_STARTED + told(e));
            Runtime.getRuntime().halt(2);
            throw new IllegalStateException(e);
        }
    }

    private void take(Ids ids) throws InterruptedException {
        while (!stopping) {
            try {
                burst(ids);
                TimeUnit.MILLISECONDS.sleep(BETWEEN_BURSTS_MILLIS);
            } catch (RuntimeException e) {
                System.err.println(THREW + told(e));
                TimeUnit.MILLISECONDS.sleep(AFTER_FAILURE_MILLIS);
            }
        }
    }

    private void burst(Ids ids) {
        long began = System.nanoTime();
        for (int left = BURST; left > 0 && !stopping && System.nanoTime() - began < LONGEST_BURST_NANOS; left--) {
            long called = System.nanoTime();
            long id = ids.next();
            recorder.add(id, called, System.nanoTime());
        }
    }

    private void stop(Thread main) {
        stopping = true;
        try {
            main.join(TimeUnit.SECONDS.toMillis(8));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** On one line, with what caused it. */
    private static String told(Throwable thrown) {
        StringBuilder text = new StringBuilder(thrown.toString());
        for (Throwable cause = thrown.getCause(); cause != null; cause = cause.getCause()) {
            text.append(" <- ").append(cause);
        }
        return text.toString().replaceAll("\\s+", " ");
    }
}
