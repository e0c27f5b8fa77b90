// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.resume.ResumeNote;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;

/**
 * One generator from its opening to its end, as its application sees it: it starts in time or reports why not, reports when it can't issue,
 * leaves no thread behind, and calls its listener once at a time. {@link WatchedCall} checks its calls.
 */
final class Watch {

    /** Time beyond the startup timeout: for a request under way, and to give back what was claimed. */
    private static final long LONGEST_END_OF_START_MILLIS = 20_000;

    private static final long LONGEST_CLOSE_MILLIS = 12_000;

    /** For one more request, before files are deleted. */
    private static final long LONGEST_REQUEST_MILLIS = 2_000;

    /** Time to claim once the ids of a restored, moved or new namespace may begin, and for a request under way. */
    private static final long LONGEST_START_AT_FLOOR_MILLIS = 11_000;

    /** Time for a request under way after a close or a refused start. */
    private static final long LONGEST_LIFE_AFTER_MILLIS = 25_000;

    final SimulatedProcess process;
    final Place place;
    final Machine machine;
    final SimulatedSettings settings;

    /** The highest id that a call returned, and when. */
    long highestId = -1;

    long highestTick = -1;
    long highestMillis;

    /** How far ahead of the time an id was dated lately, and when. */
    long furthestAhead;

    long furthestAheadMillis;

    /** When the first call failed since the last that succeeded; 0: none did. */
    long refusedSinceMillis;

    /** When the coordinator answered last. */
    private long lastAnsweredMillis;

    private long issuedBeforeAnswerMillis;

    private int requestsUnderWay;
    private long lastRequestMillis;

    long lastIssuedMillis;

    /** The steps of its clock. */
    final WatchedSteps steps = new WatchedSteps(this);

    final List<WatchedCall> calls = new ArrayList<>();

    /** Checks what it reports of itself. */
    final StatusOracle told = new StatusOracle(this);

    /**
     * Counts each checkpoint twice: when the generator is told of it, and when it is over. Each time another thread goes on with its keeping,
     * and the one before may still give back what it has.
     */
    int checkpoints;

    private final Simulation run;
    private final long beganMillis;
    private final long pausedAtBegin;
    private final Set<Thread> ownThreads = new HashSet<>();
    private final Set<Thread> askingThreads = new HashSet<>();
    private @Nullable LeasedSnowflake generator;
    private boolean opening = true;
    private boolean closing;
    private boolean closed;
    private boolean listening;
    private boolean telling;
    private long saidMillis;

    /** How far the time that it goes by may be behind, as it was copied. */
    private long missedMillis;

    /** When its ids begin by its own report, even if its time to start is over. */
    private long mayStartMillis;

    /** The tick at which its ids go on after what a copy may use, by its own report. */
    private long sharedTick;

    /** Whether, by its own report, another process of the host goes on by the notes of its worker id. */
    private boolean notesTakenOver;

    /** The same, at any time before. */
    private boolean lostNotes;

    /** From which the ids of its present worker id begin, if it left another for it. */
    private long firstTick;

    private boolean anyShown;
    private @Nullable Stored metaShown;
    private final Map<Integer, Slot> slotsShown = new HashMap<>();

    private long endedMillis;
    private long pausedAtEnd;

    Watch(SimulatedProcess process, Place place) {
        this.process = process;
        this.place = place;
        machine = process.machine;
        settings = process.run.simulated;
        run = process.run;
        beganMillis = millis();
        pausedAtBegin = pausedMillis();
        saidMillis = beganMillis;
    }

    long millis() {
        return machine.nanosNow() / 1_000_000;
    }

    long pausedMillis() {
        return machine.pausedNanos() / 1_000_000;
    }

    /** The time without pauses of the whole process. */
    long runningMillis() {
        return millis() - pausedMillis();
    }

    void violated(String what) {
        if (!machine.isBeingCopied() && !machine.isCrashed()) {
            run.oracle.violated(process.name + " " + what);
        }
    }

    // ---- its threads

    boolean isOwnThread() {
        return ownThreads.contains(Thread.currentThread());
    }

    void threadBegins() {
        ownThreads.add(Thread.currentThread());
    }

    void threadEnds(String name, @Nullable Throwable reason) {
        Thread thread = Thread.currentThread();
        ownThreads.remove(thread);
        boolean keeper = askingThreads.remove(thread);
        LeasedSnowflake served = generator;
        if ((reason == null && !keeper) || served == null || closing || checkpoints > 0) {
            return;
        }
        SnowflakeStatus status = served.status();
        boolean said = status.lastError().isPresent()
                && (status.state() == SnowflakeStatus.State.SUSPENDED
                        || status.workerIds().size() < settings.workers);
        if (!said) {
            violated("does not say that its thread '" + name + "' ended" + (reason == null ? "" : " of " + name(reason))
                    + ": " + status);
        }
    }

    private static String name(Throwable e) {
        return e.getClass().getSimpleName() + " (" + e.getMessage() + ")";
    }

    boolean hasEnded() {
        return !opening && generator == null;
    }

    /** How many threads are left, apart from those that nothing can end. */
    int threadsLeft() {
        return run.rim.hanging(machine) > 0 ? 0 : ownThreads.size();
    }

    /** It is in a copy that runs again so much later. What never ended in the original ends then, since the connection is another one. */
    void copied(Duration late) {
        missedMillis = late.toMillis();
        endedMillis = millis() + late.toMillis();
        pausedAtEnd = pausedMillis();
    }

    /** Called while the faults are over. */
    void requireNoThreadLeft() {
        long since = millis() - endedMillis - (pausedMillis() - pausedAtEnd);
        if (hasEnded() && since > LONGEST_LIFE_AFTER_MILLIS && threadsLeft() > 0) {
            violated("still has " + threadsLeft() + " threads of a generator "
                    + (closed ? "that was closed" : "that was never opened"));
        } else if (askingThreads.size() > 1 + checkpoints + run.rim.hanging(machine)) {
            violated("has " + askingThreads.size() + " threads that ask the coordinator");
        }
    }

    // ---- its coordinator

    /** When an id was issued last before the coordinator or the disk answered, if that was just now: a call that waits has one now. */
    long lastIssuedBefore(long answeredWithinMillis) {
        return millis() - lastAnsweredMillis <= answeredWithinMillis ? issuedBeforeAnswerMillis : Long.MAX_VALUE;
    }

    /** The generator reads the clocks anew, as at a start. */
    void restored() {
        steps.forget();
        furthestAhead = Long.MIN_VALUE / 2;
        furthestAheadMillis = 0;
    }

    void coordinatorAsked() {
        askingThreads.add(Thread.currentThread());
    }

    void requestBegins() {
        requestsUnderWay++;
    }

    /** Is called whatever the answer is, and also if there is none in time. */
    void requestEnds() {
        requestsUnderWay--;
        lastRequestMillis = millis();
    }

    /** Whether a request is under way, or was just now. */
    boolean isAsking(long withinMillis) {
        return requestsUnderWay > 0 || millis() - lastRequestMillis <= withinMillis;
    }

    /**
     * Before ids begin that are taken over without the coordinator, it is the last that was done: the clock is shown after it. Where they
     * begin behind that, since the clock stepped back meanwhile, the next may be dated as was shown.
     */
    void diskAnswered() {
        answered();
        if (highestTick < 0) {
            furthestAhead = settings.tickOf(machine.wallNow()) - millis();
            furthestAheadMillis = millis();
        }
    }

    /** The coordinator or the disk has answered, which all calls have waited for. */
    private void answered() {
        lastAnsweredMillis = millis();
        issuedBeforeAnswerMillis = lastIssuedMillis;
    }

    void coordinatorAnswered() {
        answered();
        if (highestTick < 0) {
            furthestAheadMillis = 0;
        }
        steps.confirmed();
    }

    // ---- what its log announces

    private static final Pattern FIRST_IDS = Pattern.compile("its ids begin at (\\S+)\\. The start waits");
    private static final Pattern SHARED = Pattern.compile("ids continue from (\\S+)$");
    private static final Pattern SWAPPED = Pattern.compile("continuing as (\\d+)$");

    /** The generator warned in its log. */
    void warned(String text) {
        said();
        Matcher firstIds = FIRST_IDS.matcher(text);
        if (firstIds.find()) {
            // The start waits by the time it believes, which may differ from its clock.
            long now = Math.min(machine.wallMillis(), run.world.trueMillis());
            long wait = Instant.parse(firstIds.group(1)).toEpochMilli() - now;
            mayStartMillis = Math.max(mayStartMillis, millis() + wait + missedMillis);
        }
        if (text.contains("were taken over by another process")) {
            notesTakenOver = true;
            lostNotes = true;
        }
        Matcher shared = SHARED.matcher(text);
        if (shared.find()) {
            // Each of several worker ids has its own such tick.
            sharedTick = Math.max(
                    sharedTick, settings.tickOf(Instant.parse(shared.group(1)).toEpochMilli()));
            // What a later call got is no longer of use to these calls.
            calls.forEach(WatchedCall::forgetOvertaken);
        }
        Matcher swapped = SWAPPED.matcher(text);
        if (swapped.find()) {
            notesTakenOver = false;
            firstTick = place.store().mark(Integer.parseInt(swapped.group(1))).from();
            calls.forEach(WatchedCall::forgetOvertaken);
        }
        told.warned(text);
    }

    /**
     * Whether an id of this tick may lie ahead because the generator skipped what a copy may use, or left it for a worker id whose ids begin
     * later, and not because of a clock.
     */
    boolean isBehindShared(long tick) {
        return tick <= Math.max(sharedTick, firstTick);
    }

    /** They limit what this one may issue, until another worker id is free. */
    boolean areNotesTakenOver() {
        return notesTakenOver;
    }

    /** The process that takes over may give back what this one was granted, so that its mark tells of no loss. */
    boolean hasLostNotes() {
        return lostNotes;
    }

    /** The tick at which ids go on after what a copy may use, by the generator's own report. */
    long sharedTick() {
        return sharedTick;
    }

    // ---- its start

    /** Requires that by now the generator has started or reported that it can't. */
    void requireStartInTime() {
        long took = millis() - beganMillis - (pausedMillis() - pausedAtBegin);
        long allowed = Math.max(
                settings.startupTimeout.toMillis() + LONGEST_END_OF_START_MILLIS,
                mayStartMillis - beganMillis + LONGEST_START_AT_FLOOR_MILLIS + LONGEST_CLOSE_MILLIS);
        if (opening && took > allowed) {
            violated("has been starting for " + took + " ms, snowflake.startup-timeout is " + settings.startupTimeout);
        }
    }

    boolean beganAfter(long nanos) {
        return nanos / 1_000_000 < beganMillis;
    }

    /** Whether its last call failed, and no other has got an id since. */
    boolean isRefusing() {
        return generator != null && !closing && refusedSinceMillis > 0;
    }

    boolean isOpening() {
        return opening;
    }

    void opened(LeasedSnowflake opened) {
        requireStartInTime();
        opening = false;
        generator = opened;
        SnowflakeStatus status = opened.status();
        if (!machine.isBeingCopied() && status.workerId().isPresent()) {
            run.oracle.opened(process, status);
        }
    }

    void notOpened(Throwable e) {
        requireStartInTime();
        opening = false;
        end();
        run.tally.count(Tally.Count.STARTS_REFUSED);
        if (!(e instanceof SnowflakeException) && !Accidents.isOne(e)) {
            violated("could not start: " + name(e));
        } else if (e instanceof SnowflakeException
                && String.valueOf(e.getMessage()).isBlank()) {
            violated("does not say why it could not start");
        }
    }

    // ---- what it was shown

    /** By the coordinator. */
    void shown(Snapshot seen) {
        metaShown = seen.meta();
        anyShown = true;
        seen.slots().forEach(slot -> slotsShown.put(slot.workerId(), slot));
    }

    /** Where data was lost, and this start was shown so, it must not go on from what was noted before. */
    void requireNotContradicted(ResumeNote note) {
        if (!anyShown) {
            return;
        }
        Slot slot = slotsShown.get(note.workerId());
        boolean other = metaShown == null
                || !RecordLine.parse(metaShown.value())
                        .text("id")
                        .equals(note.meta().id());
        if (other || (slot != null && run.oracle.limit(slot.mark()) < note.hi())) {
            violated("goes on from the note " + note + ", though it was shown " + metaShown + " and " + slot);
        }
    }

    // ---- what it says

    /** @return null: there is no listener */
    @Nullable
    Consumer<SnowflakeEvent> listener(boolean wanted, @Nullable Accidents accidents) {
        listening = wanted;
        return wanted ? event -> hear(event, accidents) : null;
    }

    private void hear(SnowflakeEvent event, @Nullable Accidents accidents) {
        if (telling) {
            violated("calls its listener by two threads at once: " + event);
        }
        telling = true;
        run.note("event: " + event);
        if (event instanceof SnowflakeEvent.Suspended || event instanceof SnowflakeEvent.Lost) {
            said();
        }
        try {
            if (run.random.nextInt(4) == 0) {
                machine.sleep(Duration.ofMillis(run.random.nextInt(3000)));
            }
            if (accidents != null) {
                accidents.mayHappen(Accidents.Place.LISTENER);
            }
        } finally {
            telling = false;
        }
    }

    /** The generator warned in the log, or told its listener. */
    void said() {
        saidMillis = millis();
    }

    /** Whether an operator who looks at logs and events can know that it does not issue. */
    boolean hasSaidSince(long sinceMillis) {
        return saidMillis >= sinceMillis;
    }

    boolean isListening() {
        return listening;
    }

    // ---- its end

    @Nullable
    LeasedSnowflake generator() {
        return generator;
    }

    boolean isClosing() {
        return closing;
    }

    boolean isClosed() {
        return closed;
    }

    void close(LeasedSnowflake open) {
        closing = true;
        long began = millis();
        long paused = pausedMillis();
        open.close();
        closed = true;
        long took = millis() - began - (pausedMillis() - paused);
        long file = settings.resumes() ? LONGEST_REQUEST_MILLIS : 0;
        // It waits anew for each of several worker ids, as long as one more is given back.
        if (took > LONGEST_CLOSE_MILLIS * settings.workers + file) {
            violated("took " + took + " ms to close");
        }
        generator = null;
        end();
    }

    private void end() {
        endedMillis = millis();
        pausedAtEnd = pausedMillis();
    }
}
