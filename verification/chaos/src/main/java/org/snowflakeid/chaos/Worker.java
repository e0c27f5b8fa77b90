// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.ClockMovedBackwardsException;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus;
import org.snowflakeid.chaos.Tally.Count;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * A process that takes ids all the time, from several threads, and writes down each one it got. It obeys lines on its standard
 * input: {@code clock <ms>} sets its wall clock wrong by so much, {@code close <ms>} gives its worker id back and opens a new
 * generator after that time, {@code stop} gives it back and ends. Says on its standard output how many ids it got.
 */
final class Worker {
    private static final Logger LOG = Logger.getLogger("chaos");
    private static final int MAX_BATCH = 3_500;

    private final Options options;
    private final SnowflakeSettings settings;
    private final WorkerCoordinatorProvider provider;
    private final SteppedPlatform platform = new SteppedPlatform();
    private final Tally tally;
    private final AtomicLong issued = new AtomicLong();
    private final Thread main = Thread.currentThread();
    private volatile long lastIssuedNanos;
    private volatile @Nullable LeasedSnowflake generator;
    private volatile boolean stopping;
    private volatile long closeForMillis = -1;

    /**
     * What a worker is started with.
     *
     * @param process how many there were before under this number, so that names of files are unique
     * @param idsPerSecond of its batches
     * @param blind whether its coordinator is {@link BlindProvider broken}
     */
    record Options(Path directory, int number, int process, int idsPerSecond, boolean blind, Map<String, String> keys) {

        List<String> arguments() {
            List<String> arguments = new ArrayList<>(List.of(
                    directory.toString(),
                    Integer.toString(number),
                    Integer.toString(process),
                    Integer.toString(idsPerSecond),
                    Boolean.toString(blind)));
            keys.forEach((key, value) -> arguments.add(key + "=" + value));
            return arguments;
        }

        static Options of(String... arguments) {
            Map<String, String> keys = new HashMap<>();
            for (int i = 5; i < arguments.length; i++) {
                int equals = arguments[i].indexOf('=');
                keys.put(arguments[i].substring(0, equals), arguments[i].substring(equals + 1));
            }
            return new Options(
                    Path.of(arguments[0]),
                    Integer.parseInt(arguments[1]),
                    Integer.parseInt(arguments[2]),
                    Integer.parseInt(arguments[3]),
                    Boolean.parseBoolean(arguments[4]),
                    keys);
        }

        /** Of this process; sorts by age within a worker. */
        String name() {
            return String.format("w%02d-p%04d", number, process);
        }
    }

    /** How a thread takes ids. */
    private enum Habit {
        /** Batches, at a steady rate. */
        BATCHES,
        /** One by one, a few in a row. */
        SINGLES,
        /** Batches and single ids, with pauses up to longer than a window. */
        SELDOM
    }

    private Worker(Options options) {
        this.options = options;
        this.settings = SnowflakeSettings.of(options.keys());
        this.tally = new Tally(options.directory().resolve(options.name() + ".tally"));
        WorkerCoordinatorProvider found = ServiceLoader.load(WorkerCoordinatorProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(p -> p.name().equals(settings.coordinator().orElseThrow()))
                .findFirst()
                .orElseThrow();
        this.provider = new CountingProvider(options.blind() ? new BlindProvider(found) : found, tally);
    }

    public static void main(String... arguments) {
        Worker worker = new Worker(Options.of(arguments));
        daemon("commands", worker::obey);
        daemon("progress", worker::tell);
        worker.run();
    }

    private static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void obey() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ", -1);
                switch (words[0]) {
                    case "clock" -> {
                        platform.setWrongBy(Long.parseLong(words[1]));
                        LOG.info("clock wrong by " + words[1] + " ms");
                    }
                    case "close" -> {
                        closeForMillis = Long.parseLong(words[1]);
                        main.interrupt();
                    }
                    case "stop" -> {
                        stopping = true;
                        main.interrupt();
                    }
                    default -> throw new IllegalArgumentException(line);
                }
            }
        } catch (IOException e) {
            LOG.log(Level.SEVERE, "commands cannot be read", e);
        }
        // The process that started this one is gone.
        Runtime.getRuntime().halt(stopping ? 0 : 3);
    }

    private void tell() {
        for (; ; ) {
            LeasedSnowflake present = generator;
            OptionalInt workerId =
                    present == null ? OptionalInt.empty() : present.status().workerId();
            System.out.println(issued.get() + " " + lastIssuedNanos + " " + workerId.orElse(-1));
            if (!sleep(250)) {
                return;
            }
        }
    }

    /** @return false: interrupted */
    private static boolean sleep(long millis) {
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            return false;
        }
    }

    private void run() {
        for (int serial = 0; !stopping; serial++) {
            LeasedSnowflake opened = open();
            if (opened != null) {
                use(opened, serial);
            }
            long pause = closeForMillis;
            closeForMillis = -1;
            if (!stopping && pause > 0) {
                boolean undisturbed = sleep(pause);
                LOG.info("paused " + (undisturbed ? "" : "less than ") + pause + " ms");
            }
        }
    }

    private @Nullable LeasedSnowflake open() {
        LOG.info("opens a generator");
        try {
            LeasedSnowflake opened = LeasedSnowflake.open(settings, provider, platform);
            tally.add(Count.OPENED);
            return opened;
        } catch (SnowflakeException e) {
            if (!Thread.interrupted()) {
                tally.add(Count.NOT_OPENED);
                LOG.info("could not open a generator: " + e.getMessage());
            }
            return null;
        }
    }

    private void use(LeasedSnowflake opened, int serial) {
        generator = opened;
        List<Issuer> issuers = new ArrayList<>();
        for (Habit habit : habits()) {
            String file = String.format("%s-g%04d.t%d.ids", options.name(), serial, issuers.size());
            issuers.add(new Issuer(opened, habit, options.directory().resolve(file), issuers.size()));
        }
        issuers.forEach(Issuer::start);
        boolean broken = false;
        while (!stopping && closeForMillis < 0 && !broken) {
            broken = !sleep(1_000) ? false : issuers.stream().noneMatch(Issuer::isAlive);
        }
        Thread.interrupted();
        LOG.info("closes its generator");
        // While it is in use: what is under way must end, and nothing may be issued after.
        opened.close();
        tally.add(Count.CLOSED);
        generator = null;
        for (Issuer issuer : issuers) {
            issuer.finish();
        }
    }

    private List<Habit> habits() {
        return switch (options.number() % 4) {
            case 0 -> List.of(Habit.BATCHES, Habit.BATCHES);
            case 1 -> List.of(Habit.BATCHES, Habit.SINGLES, Habit.SINGLES);
            case 2 -> List.of(Habit.BATCHES, Habit.SINGLES, Habit.SELDOM);
            default -> List.of(Habit.SELDOM, Habit.SELDOM);
        };
    }

    /** One thread, and its recording. */
    private final class Issuer extends Thread {
        private final LeasedSnowflake ids;
        private final Habit habit;
        private final Recorder recorder;
        private final RandomGenerator random;
        private volatile boolean finished;

        Issuer(LeasedSnowflake ids, Habit habit, Path file, int number) {
            super("issuer-" + number);
            setDaemon(true);
            this.ids = ids;
            this.habit = habit;
            this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(file.hashCode());
            long window = settings.window().toMillis();
            long burst = Duration.parse(options.keys().getOrDefault("snowflake.burst", "PT0S"))
                    .toMillis();
            long maxSkew = Duration.parse(options.keys().getOrDefault("snowflake.clock.max-skew", "PT10S"))
                    .toMillis();
            // A clock is believed again when it is wrong by less than the skew, and what is granted by it may reach a
            // window
            // further; a claim may begin a window ahead.
            this.recorder = new Recorder(file, options.number(), burst, 2 * window + maxSkew + burst, platform);
        }

        @Override
        public void run() {
            try (recorder) {
                long shares = habits().stream().filter(h -> h == Habit.BATCHES).count();
                while (!finished && ids.status().state() != SnowflakeStatus.State.CLOSED) {
                    try {
                        if (!step(Math.max(1, shares))) {
                            return;
                        }
                    } catch (CoordinatorRegressedException e) {
                        tally.add(Count.REGRESSED);
                        LOG.log(Level.SEVERE, "regressed: " + e.getMessage());
                        return;
                    } catch (ClockMovedBackwardsException e) {
                        tally.add(Count.CLOCK_BACKWARDS);
                        Worker.sleep(20);
                    } catch (SnowflakeException e) {
                        tally.add(Count.UNAVAILABLE);
                        Worker.sleep(50);
                    }
                }
            } catch (RuntimeException | Error e) {
                LOG.log(Level.SEVERE, "an issuer failed", e);
                throw e;
            }
        }

        /** @return false: interrupted */
        private boolean step(long shares) {
            return switch (habit) {
                case BATCHES -> {
                    int count = batch(random.nextInt(MAX_BATCH / 2, MAX_BATCH));
                    yield Worker.sleep(Math.max(1, count * 1000L * shares / options.idsPerSecond()));
                }
                case SINGLES -> {
                    for (int n = random.nextInt(1, 30); n > 0; n--) {
                        single();
                    }
                    yield Worker.sleep(random.nextInt(5, 30));
                }
                case SELDOM -> takeAFewAndPause();
            };
        }

        private boolean takeAFewAndPause() {
            for (int n = random.nextInt(1, 200); n > 0 && !finished; n--) {
                batch(random.nextInt(1, MAX_BATCH));
                single();
                if (!Worker.sleep(random.nextInt(10, 60))) {
                    return false;
                }
            }
            long windowMillis = settings.window().toMillis();
            return Worker.sleep(random.nextLong(windowMillis / (random.nextBoolean() ? 100 : 1)) + 1);
        }

        private int batch(int count) {
            long called = System.nanoTime();
            long[] got = ids.nextIds(count);
            long returned = System.nanoTime();
            recorder.add(got, called, returned);
            count(got.length, returned);
            return got.length;
        }

        private void single() {
            long called = System.nanoTime();
            long id = ids.nextId();
            long returned = System.nanoTime();
            recorder.add(id, called, returned);
            count(1, returned);
        }

        private void count(int got, long returned) {
            issued.addAndGet(got);
            lastIssuedNanos = returned;
        }

        void finish() {
            finished = true;
            interrupt();
            boolean interrupted = false;
            long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
            for (long left = 10_000; isAlive() && left > 0; left = (deadline - System.nanoTime()) / 1_000_000) {
                try {
                    join(left);
                } catch (InterruptedException anotherCommand) {
                    interrupted = true;
                }
            }
            if (isAlive()) {
                LOG.severe(getName() + " does not end");
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
