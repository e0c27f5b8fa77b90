// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;

/** Opens a generator, issues from a few threads, closes it, and opens the next. */
final class SimulatedProcess {

    private static final Duration FAR_AHEAD = Duration.ofHours(1);

    final String name;
    final Machine machine;
    final Simulation run;
    final SimulatedClient.Clients clients;

    /** The disk of its host. */
    final SimulatedDisk disk;

    final CooperativeCheckpoint checkpoint;

    /** Ids issued since this was last set to 0. */
    int issuedSince;

    /** How many more answers of the coordinator reach it. */
    int answersLeft = Integer.MAX_VALUE;

    /** By how much small steps, which no vetting sees, may have moved this process's idea of the time. */
    long unvettedMillis;

    boolean clockTouched;

    /** Operators don't start it again, though its namespace was replaced. */
    boolean isForgotten;

    /** When something first changed its clock, by the world's time. */
    long clockFirstTouchedNanos;

    /** A start believes the median of its live peers, however long ago they wrote. */
    boolean clockTouchedAtStart;

    /** When the coordinator last told it the time, and how many accidents it had had: a later one may have kept the answer from it. */
    private long timeToldNanos;

    private int accidentsWhenTold;

    /** When it was last told the time without an accident. */
    private long timeKnownNanos;

    /** By how much both clocks run fast. */
    private long driftPpm;

    /** What its clock said when it was last frozen, and when that was over. */
    long frozenAtWallMillis;

    /** The same moment, by the monotonic clock. */
    long frozenAtMillis;

    long thawedAtWallMillis;

    /** Up to when, as far as it knew, it had a reservation when it was frozen; 0: none. */
    long reservedWhenFrozenMillis;

    private final long seed;
    private final Random random;
    private final @Nullable Accidents accidents;
    private final List<Watch> watches = new ArrayList<>();
    private Watch watch;
    private boolean close;
    private long lastId;
    private @Nullable Thread thread;

    SimulatedProcess(Simulation run, String name, SimulatedDisk disk) {
        this(run, name, run.random.nextLong(), null, disk);
        if (run.isToBeCopied(this)) {
            machine.beCopyable();
        }
        begin();
    }

    private SimulatedProcess(
            Simulation run, String name, long seed, @Nullable SimulatedProcess original, SimulatedDisk disk) {
        this.run = run;
        this.name = name;
        this.seed = seed;
        this.disk = disk;
        random = new Random(seed);
        machine = run.world.new Machine();
        machine.wakesLate = run.wakesLate;
        checkpoint = new CooperativeCheckpoint(machine);
        clients = new SimulatedClient.Clients(original == null ? null : original.clients);
        accidents = original != null || run.accidentsOneIn == 0 || run.isToBeCopied(this)
                ? null
                : new Accidents(run, random, run.accidentsOneIn);
        watch = new Watch(this, run.place(this));
        run.oracle.add(this);
    }

    private void begin() {
        thread = machine.start(name, this::live);
    }

    /**
     * Another machine with the same memory.
     *
     * @param behindMillis by how much its wall clock is behind
     */
    SimulatedProcess copy(String copyName, Duration late, long behindMillis) {
        SimulatedProcess copy = new SimulatedProcess(run, copyName, seed, this, disk);
        copy.machine.copy(machine, copy::begin, late, behindMillis);
        copy.watches().forEach(each -> each.copied(late));
        copy.clockTouched = clockTouched;
        copy.clockFirstTouchedNanos = clockFirstTouchedNanos;
        copy.touchClock();
        copy.clockTouchedAtStart = clockTouched ? clockTouchedAtStart : generator() == null;
        copy.unvettedMillis = unvettedMillis + late.toMillis();
        copy.watch.steps.remember(watch.steps);
        if (late.toMillis() != behindMillis) {
            copy.watch.steps.step(late.minusMillis(behindMillis));
        }
        if (late.toMillis() > 0) {
            run.store.silence(copy.machine, late);
        }
        return copy;
    }

    // ---- faults

    void pause(Duration duration) {
        long now = machine.wallNow();
        if (now >= thawedAtWallMillis) {
            frozenAtWallMillis = now;
            frozenAtMillis = watch.millis();
            reservedWhenFrozenMillis = generator() == null ? 0 : usableUntilMillis();
        }
        thawedAtWallMillis = Math.max(thawedAtWallMillis, now + duration.toMillis());
        machine.pause(duration);
        run.store.silence(machine, duration);
    }

    /** Up to when ids are reserved, and noted where there is a file. */
    private long usableUntilMillis() {
        SnowflakeStatus status = status();
        long reserved = status.reservedUntil().map(Instant::toEpochMilli).orElse(0L);
        return status.workerIds().stream()
                .filter(disk::has)
                .map(id -> run.simulated.millisOf(disk.note(id).lo()))
                .reduce(reserved, Math::min);
    }

    void stepClock(Duration by) {
        touchClock();
        if (by.abs().compareTo(run.simulated.maxSkew) <= 0) {
            unvettedMillis += by.abs().toMillis();
        }
        machine.stepClock(by);
        watch.steps.step(by);
    }

    /** Makes both clocks drift. */
    void drift(long ppm) {
        touchClock();
        driftPpm = ppm;
        machine.drift(ppm);
    }

    void timeTold() {
        timeKnownNanos = timeKnownNanos();
        timeToldNanos = machine.nanosNow();
        accidentsWhenTold = accidentsHappened();
    }

    private long timeKnownNanos() {
        return accidentsHappened() == accidentsWhenTold ? timeToldNanos : timeKnownNanos;
    }

    private int accidentsHappened() {
        return accidents == null ? 0 : accidents.happened();
    }

    /** How far its clocks may have run away since they could be compared with the coordinator's. */
    long driftedMillis() {
        return (machine.nanosNow() - timeKnownNanos()) / 1_000_000 * Math.abs(driftPpm) / 1_000_000;
    }

    private void touchClock() {
        if (!clockTouched) {
            clockTouched = true;
            clockFirstTouchedNanos = run.world.nanoTime();
            clockTouchedAtStart = generator() == null;
        }
    }

    void restoreClock() {
        driftPpm = 0;
        machine.drift(0);
        long wrong = machine.wallNow() - run.world.trueMillis();
        if (wrong != 0) {
            stepClock(Duration.ofMillis(-wrong));
        }
    }

    void crash() {
        machine.crash();
        run.store.silence(machine, Duration.ofDays(1));
    }

    void closeSoon() {
        machine.happen(m -> run.process(m).close = true);
    }

    boolean isToClose() {
        return close;
    }

    void interrupt() {
        machine.happen(m -> run.process(m).thread.interrupt());
    }

    /** Whether its requests arrive. */
    boolean isReached() {
        return answersLeft > 0;
    }

    /** Whether an answer arrives. */
    boolean receives() {
        return answersLeft > 0 && answersLeft-- > 0;
    }

    // ---- what others ask

    /** The generator that may issue now; null: none. */
    @Nullable
    LeasedSnowflake generator() {
        return machine.isCrashed() ? null : watch.generator();
    }

    /** The status of the generator that may issue now. */
    SnowflakeStatus status() {
        SnowflakeStatus[] seen = new SnowflakeStatus[1];
        machine.look(m ->
                seen[0] = Objects.requireNonNull(run.process(m).generator()).status());
        return seen[0];
    }

    Watch watch() {
        return watch;
    }

    /** The watches of all its generators that may still have threads. */
    List<Watch> watches() {
        return watches;
    }

    /** Whether its ids are ahead of the clock for good, since it once believed a clock that was wrong by years. */
    boolean isFarAhead() {
        if (generator() == null) {
            return false;
        }
        long far = run.trueTick() + FAR_AHEAD.toMillis();
        if (lastId >= 0 && run.simulated.tick(lastId) > far) {
            return true;
        }
        // Its ids may have to begin there, though no call asked for one yet. Its clock alone doesn't decide: it may
        // still be wrong.
        SnowflakeStatus status = status();
        return status.drift().compareTo(FAR_AHEAD) > 0
                && status.reservedUntil()
                        .map(Instant::toEpochMilli)
                        .map(run.simulated::tickOf)
                        .filter(until -> until > far)
                        .isPresent();
    }

    // ---- its threads

    private void live() {
        while (!run.over) {
            Place place = run.place(this);
            Watch opening = new Watch(this, place);
            watch = opening;
            watches.removeIf(ended -> ended.threadsLeft() == 0);
            watches.add(opening);
            if (!machine.isBeingCopied()) {
                run.tally.count(Tally.Count.STARTS);
            }
            close = false;
            lastId = -1;
            LeasedSnowflake opened = open(place, opening);
            if (opened != null) {
                opening.opened(opened);
                for (int more = random.nextInt(run.simulated.workers == 1 ? 2 : 4); more > 0; more--) {
                    Thread unused = machine.start(name, () -> issueUntilClosed(opened, opening));
                }
                issueUntilClosed(opened, opening);
                if (random.nextInt(4) == 0) {
                    Thread.currentThread().interrupt();
                }
                opening.close(opened);
            }
            Thread.interrupted();
            machine.sleep(Duration.ofMillis(200 + random.nextInt(2000)));
        }
    }

    private @Nullable LeasedSnowflake open(Place place, Watch opening) {
        SimulatedPlatform platform = new SimulatedPlatform(machine, opening, accidents);
        Consumer<SnowflakeEvent> listener =
                opening.listener(!machine.isCopyable() && random.nextInt(4) == 0, accidents);
        try {
            var provider = clients.provider(place.store(), machine, opening, accidents);
            SnowflakeSettings settings = run.windowsDiffer && random.nextBoolean()
                    ? run.simulated.withHalfTheWindow(place.settings().namespace())
                    : place.settings();
            return listener == null
                    ? LeasedSnowflake.open(settings, provider, platform)
                    : LeasedSnowflake.open(settings, provider, platform, listener);
        } catch (CoordinatorRegressedException e) {
            opening.notOpened(e);
            run.oracle.regressed(this, e);
        } catch (RuntimeException | Error e) {
            opening.notOpened(e);
            if (run.traced()) {
                run.note("not opened: " + e.getMessage());
            }
        }
        return null;
    }

    /** Runs on each thread that calls. */
    private void issueUntilClosed(LeasedSnowflake ids, Watch issuing) {
        long lastIdOfThread = -1;
        boolean first = Thread.currentThread().equals(thread);
        while (!close && !issuing.isClosed()) {
            lastIdOfThread = issue(ids, issuing, lastIdOfThread);
            machine.sleep(Duration.ofMillis(10 + random.nextInt(random.nextInt(4) == 0 ? 50 : 2000)));
            if (first) {
                Thread.interrupted();
                checkpoint.meet(ids, issuing);
            }
        }
        if (!first && issuing.isClosed()) {
            // This thread did not hear of the close.
            issue(ids, issuing, lastIdOfThread);
        }
    }

    private long issue(LeasedSnowflake ids, Watch issuing, long lastIdOfThread) {
        int millisecond = 1 << run.simulated.sequenceBits;
        int count =
                switch (random.nextInt(24)) {
                    case 0 -> millisecond + random.nextInt(millisecond / 2 + 1);
                    case 1, 2, 3, 4, 5 -> 1 + random.nextInt(20);
                    default -> 1;
                };
        WatchedCall call = new WatchedCall(issuing, count, lastIdOfThread);
        try {
            long[] issued = count == 1 ? new long[] {ids.nextId()} : ids.nextIds(count);
            call.returned(issued);
            run.oracle.issued(this, issued);
            long last = issued[issued.length - 1];
            lastId = Math.max(lastId, last);
            issuedSince++;
            return last;
        } catch (SnowflakeException e) {
            if (e instanceof CoordinatorRegressedException regressed) {
                run.oracle.regressed(this, regressed);
            }
            if (run.traced()) {
                run.note("no id: " + e.getMessage());
            }
            close |= call.refused(e);
        } catch (RuntimeException | Error e) {
            call.failed(e);
        }
        return lastIdOfThread;
    }
}
