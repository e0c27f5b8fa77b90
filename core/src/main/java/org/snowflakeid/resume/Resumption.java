// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.resume;

import static org.snowflakeid.config.Logs.LOG;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.claim.Claim;
import org.snowflakeid.claim.ClaimContext;
import org.snowflakeid.claim.Shown;
import org.snowflakeid.claim.Takeover;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.LayoutAdvice;
import org.snowflakeid.config.Quoted;
import org.snowflakeid.config.Settings;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.lease.CallWatch;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * What one generator does for {@code snowflake.resume.directory}: a process that can't reach its coordinator when it starts takes over what one
 * before it on the same host was granted and has certainly not issued.
 *
 * <p>Why nothing is issued twice. The grant is permanent, and no process of another host issues under it. The last note says which part was not
 * issued, and was written before more was used ({@link WriteAheadLimit}). Only one process can go on from a note ({@link NoteChain}), and notes are
 * ended before the mark is lowered. So it matters neither what clocks say nor whether the process before has ended or was only suspended. Nothing is
 * extended before the coordinator shows the mark as it was noted ({@link Claim#meet}).
 *
 * <p>A live process writes its next note two seconds before the clock gets to the end of what the last one allows. So once the clock has reached that
 * end, the writer is gone or asleep; before that, a note is not taken over.
 *
 * <p>A separate thread writes the notes: the keeper's may wait for the coordinator for longer than they allow.
 */
public final class Resumption implements Takeover {

    /** Others may claim the same worker id again and again, each behind the highest note. */
    private static final int ATTEMPTS = 4;

    static final Duration LONGEST_WRITE = Duration.ofSeconds(2);

    static final String WRITE = "A write to " + SnowflakeKeys.RESUME_DIRECTORY;

    private static final long MILLISECOND = 1_000_000;
    private static final long IDLE_NANOS = 60_000 * MILLISECOND;
    private static final long RETRY_NANOS = 1_000 * MILLISECOND;

    private final Settings settings;
    private final SnowflakeLayout layout;
    private final Platform platform;
    private final VettedClock clock;
    private final SharedState shared;
    private final ResumeDirectory directory;
    private final String origin;
    private final List<WriteAheadLimit> limits = new CopyOnWriteArrayList<>();

    /** What was said of files that can't be used, once each. */
    private final Set<String> said = new HashSet<>();

    /** Set when all notes are ended: those of a later claim would come too late for that. Guarded by this. */
    private boolean allEnded;

    private volatile @Nullable Thread thread;
    private volatile boolean woken;
    private volatile boolean over;

    private Resumption(
            Settings settings,
            ResumeDirectory directory,
            String origin,
            Platform platform,
            VettedClock clock,
            SharedState shared) {
        this.settings = settings;
        this.layout = settings.layout();
        this.platform = platform;
        this.clock = clock;
        this.shared = shared;
        this.directory = directory;
        this.origin = origin;
    }

    /**
     * After a refused checkpoint the folder, which could be used before, is not checked again: its disk may be why the checkpoint was refused, and
     * hang. The generator then goes on without notes.
     *
     * @throws InvalidSettingsException if the folder is set, and can't be used
     */
    public static Takeover open(
            Settings settings,
            WorkerCoordinatorProvider provider,
            Platform platform,
            VettedClock clock,
            SharedState shared) {
        if (settings.resumeDirectory().isEmpty()) {
            return Takeover.NONE;
        }
        ResumeDirectory directory = platform instanceof ResumeDirectory.Host host
                ? host.resumeDirectory(settings)
                : new ResumeFolder(settings);
        if (shared.past().known() == null) {
            directory.require();
        }
        return new Resumption(settings, directory, origin(settings, provider), platform, clock, shared);
    }

    /**
     * Changed settings may lead to another coordinator, whose namespace of the same name is not the one of the notes. Any part of them may make the
     * difference, and may hold a password: so all of them go into a digest, and the files are for their owner alone.
     */
    private static String origin(Settings settings, WorkerCoordinatorProvider provider) {
        CoordinatorConfig config = settings.coordinatorConfig();
        SettingsReader reader = new SettingsReader(config);
        List<Key<?>> keys = provider.keys().stream()
                .filter(Key::isPlace)
                .sorted(Comparator.comparing(Key::name))
                .toList();
        keys.forEach(reader::isSet);
        reader.throwProblems();
        List<Key<?>> addresses = keys.stream().filter(Key::isAddress).toList();
        if (!keys.isEmpty()
                && addresses.stream().noneMatch(reader::isSet)
                && !reader.isSet(SnowflakeKeys.NAMESPACE_NAME)) {
            throw new InvalidSettingsException(List.of("snowflake '" + settings.generator() + "': "
                    + settings.shown(SnowflakeKeys.RESUME_DIRECTORY)
                    + " holds files of one application, and nothing says of which: none of "
                    + addresses.stream().map(Key::name).collect(Collectors.joining(", ")) + " is set. Set "
                    + SnowflakeKeys.NAMESPACE_NAME + " too; where the application has one already, that is "
                    + reader.value(SnowflakeKeys.NAMESPACE_NAME)
                    + ". No other application of this host may use this folder with the same name."));
        }
        String where = keys.stream()
                .map(key -> key.name() + "="
                        + (reader.isSet(key) ? config.settings().apply(reader.nameOf(key)) : "") + "\n")
                .collect(Collectors.joining());
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(where.getBytes(StandardCharsets.UTF_8));
            return provider.name() + ":" + HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- the thread that writes the notes

    @Override
    public void start() {
        thread = platform.start("snowflake-" + settings.generator() + "-resume", this::run);
    }

    @Override
    public void wake() {
        woken = true;
        Thread writing = thread;
        if (writing != null) {
            platform.unpark(writing);
        }
    }

    private void run() {
        while (!over) {
            woken = false;
            long pause = IDLE_NANOS;
            try {
                long now = clock.credibleTick();
                for (WriteAheadLimit each : limits) {
                    pause = Math.min(pause, Math.max(1, each.advance(now)) * MILLISECOND);
                }
            } catch (Throwable e) {
                // What the last note allows may be used up soon.
                pause = RETRY_NANOS;
                report(e);
            }
            try {
                if (!woken && !over) {
                    platform.park(pause);
                }
            } catch (Throwable e) {
                report(e);
            }
            // No interrupt is meant for this thread, which could then neither write nor sleep.
            boolean unused = Thread.interrupted();
        }
    }

    /** Writing notes goes on, whatever failed. */
    private void report(Throwable failure) {
        try {
            LOG.log(Level.ERROR, shared.message("unexpected failure with " + SnowflakeKeys.RESUME_DIRECTORY), failure);
        } catch (Throwable logFailed) {
            // It can't be added to the failure: both may be the one OutOfMemoryError that the JVM keeps in reserve.
        }
    }

    @Override
    public void end() {
        over = true;
        wake();
        limits.forEach(WriteAheadLimit::stop);
        directory.close();
    }

    // ---- for the keeper

    @Override
    public void lookAtFiles() {
        limits.forEach(WriteAheadLimit::lookAtDisk);
    }

    @Override
    public boolean endAll() {
        synchronized (this) {
            allEnded = true;
        }
        boolean all = true;
        for (WriteAheadLimit each : limits) {
            all &= each.end() || each.isLost();
        }
        return all;
    }

    @Override
    public void keep(Claim claim, NamespaceRecord meta) {
        boolean unused = shared.calls().during(WRITE, CallWatch.NOT_WRITTEN, LONGEST_WRITE, () -> {
            keepIn(claim, meta);
            return true;
        });
    }

    private void keepIn(Claim claim, NamespaceRecord meta) {
        String reason = "others keep writing them";
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                NoteChain notes = new NoteChain(directory.notes(claim.workerId()));
                if (notes.end()) {
                    keep(claim, notes, meta);
                    return;
                }
            } catch (IOException e) {
                reason = e.toString();
            }
        }
        LOG.log(
                Level.WARNING,
                shared.message("no notes are kept of worker id " + claim.workerId() + " in "
                        + settings.resumeDirectory().orElseThrow() + " (" + reason
                        + "). A process that is restarted now does not start while the coordinator is down."));
    }

    /** @param notes in which this process has won the right to write the next one */
    private void keep(Claim claim, NoteChain notes, NamespaceRecord meta) {
        WriteAheadLimit limit = new WriteAheadLimit(
                notes,
                claim.lease(),
                new ResumeNote(claim.workerId(), origin, claim.from(), claim.mark(), meta),
                settings.burst().toMillis(),
                platform,
                shared,
                this::wake);
        claim.keepIn(limit);
        if (remember(limit, claim)) {
            long unused = limit.advance(clock.credibleTick());
            wake();
        }
    }

    /**
     * Before anything is noted, so that {@link #endAll} finds it.
     *
     * @return false: nothing may be noted any more
     */
    private synchronized boolean remember(WriteAheadLimit limit, Claim claim) {
        if (allEnded) {
            limit.stop();
            return false;
        }
        // What another chain follows can't be taken over any more; what was only stopped can.
        limits.removeIf(each -> each.isOver() && (each.isEnded() || each.isOf(claim.workerId())));
        limits.add(limit);
        return true;
    }

    /** A note that may be taken over. */
    private record Found(ResumeNote note, NoteChain notes) {
        boolean isOfNamespaceOf(Found other) {
            return note.meta().id().equals(other.note.meta().id());
        }
    }

    @Override
    public List<Claim> resume(ClaimContext at, Shown shown) {
        return shared.calls()
                .during(
                        "A look into " + SnowflakeKeys.RESUME_DIRECTORY,
                        CallWatch.NOT_WRITTEN,
                        LONGEST_WRITE,
                        () -> resumeFrom(at, shown));
    }

    private List<Claim> resumeFrom(ClaimContext at, Shown shown) {
        List<Found> found = new ArrayList<>();
        try {
            for (int workerId : directory.workerIds()) {
                if (workerId >= settings.minWorkerId() && workerId <= settings.maxWorkerId()) {
                    find(workerId, shown, found);
                }
            }
        } catch (IOException e) {
            say(Level.WARNING, "what is in " + settings.resumeDirectory().orElseThrow() + " can't be read: " + e);
        }
        // Those that last longest, of one namespace: it may have been restored since one of them was written.
        found.sort(Comparator.comparingLong((Found each) -> each.note().hi()).reversed());
        List<Found> chosen = found.stream()
                .filter(each -> each.isOfNamespaceOf(found.get(0)))
                .limit(settings.workers())
                .toList();
        return chosen.size() < settings.workers() ? List.of() : takeOver(chosen, at);
    }

    private List<Claim> takeOver(List<Found> chosen, ClaimContext at) {
        for (Found each : chosen) {
            try {
                if (!each.notes().end()) {
                    // Another process takes over too. What was won before is wasted.
                    return List.of();
                }
            } catch (IOException e) {
                say(Level.WARNING, ignored(each.note().workerId()) + e);
                return List.of();
            }
        }
        List<Claim> claims = new ArrayList<>();
        for (Found each : chosen) {
            at.namespace().resume(each.note().meta());
            Claim claim = Claim.resumed(
                    at, each.note().workerId(), each.note().lo(), each.note().mark());
            keep(claim, each.notes(), each.note().meta());
            claims.add(claim);
        }
        return claims;
    }

    private void find(int workerId, Shown shown, List<Found> found) {
        try {
            NoteChain notes = new NoteChain(directory.notes(workerId));
            String text = notes.read();
            if (text != null) {
                ResumeNote note = ResumeNote.parse(text);
                String reason = reasonNotToTakeOver(note, workerId, shown);
                if (reason == null) {
                    found.add(new Found(note, notes));
                } else {
                    say(Level.INFO, ignored(workerId) + reason);
                }
            }
        } catch (ResumeDirectory.VoidException e) {
            say(e.isExpected() ? Level.INFO : Level.WARNING, ignored(workerId) + e.getMessage());
        } catch (IOException e) {
            say(Level.WARNING, ignored(workerId) + e);
        } catch (IllegalArgumentException e) {
            say(Level.WARNING, ignored(workerId) + "unreadable: " + Quoted.plain(String.valueOf(e.getMessage())));
        }
    }

    private String ignored(int workerId) {
        return "the last note of worker id " + workerId + " in "
                + settings.resumeDirectory().orElseThrow() + " is not taken over: ";
    }

    private void say(Level level, String text) {
        if (said.add(text)) {
            LOG.log(level, shared.message(text));
        }
    }

    /** Null: there is none. */
    private @Nullable String reasonNotToTakeOver(ResumeNote note, int workerId, Shown shown) {
        long now = clock.credibleTick();
        if (note.workerId() != workerId) {
            return "it is that of worker id " + note.workerId() + ".";
        }
        if (!note.origin().equals(origin)) {
            return "it was written with another coordinator, or with other settings of where it is.";
        }
        if (!note.meta().layout().equals(layout)) {
            return "it was written with " + LayoutAdvice.describe(note.meta().layout()) + ", but configured is "
                    + LayoutAdvice.describe(layout) + ".";
        }
        if (note.hi() > settings.lastTick()) {
            return "what it was granted ends at " + layout.instantOf(note.hi()) + ", but the "
                    + settings.endOfTimestamps();
        }
        if (note.lo() >= note.hi() || note.hi() <= now) {
            return "what it was granted ended at " + layout.instantOf(note.hi()) + ".";
        }
        if (note.lo() > now) {
            return "the process that wrote it may be running still, or the clock is behind.";
        }
        return shown.contradiction(note.meta(), workerId, note.mark()).orElse(null);
    }
}
