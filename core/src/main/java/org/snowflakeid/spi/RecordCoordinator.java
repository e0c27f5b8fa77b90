// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;

/**
 * A coordinator on a store that compares and sets one record at a time.
 *
 * <p><b>Uniqueness.</b> Other coordinators compare a mark and the namespace record in one transaction. Here a write of a mark is a grant only when
 * the namespace record, read <em>after</em> the write is known to be there, is still the one expected (rule 19). An operator who replaces a namespace
 * first retires its record and then reads all marks: this read shows every write applied before it, and a later write is validated after the
 * retirement, so it grants nothing. Hence marks are always read before the namespace record. A write that can't be validated, or is not seen then, is
 * {@link CasResult.Unknown}.
 *
 * <p><b>Records.</b> One for the namespace, {@code meta}, and one for each worker id, {@code marks/<n>}: the mark in its first line, the owner in
 * the second, {@code expires=<instant> <owner>}, so that both are written at once. Line ends and backslashes within them are escaped by a
 * backslash.
 *
 * <p><b>Owners</b> expire by the store's clock.
 */
public final class RecordCoordinator implements WorkerCoordinator {

    private final String namespace;
    private final Duration timeToLive;
    private final RecordStore store;
    private final LongSupplier nanoTime;

    public RecordCoordinator(CoordinatorConfig config, RecordStore store) {
        this(config, store, System::nanoTime);
    }

    /** @param nanoTime by which timeouts are measured */
    public RecordCoordinator(CoordinatorConfig config, RecordStore store, LongSupplier nanoTime) {
        this.namespace = config.namespace();
        this.timeToLive = config.timeToLive();
        this.store = store;
        this.nanoTime = nanoTime;
    }

    // ---- records

    private String metaKey() {
        return namespace + "/meta";
    }

    private String markKey(int id) {
        return namespace + "/marks/" + id;
    }

    /**
     * @param owner null: there is none
     * @param expires null: there is no owner, or it is unreadable
     */
    private record Claimed(
            String mark, @Nullable String owner, @Nullable Instant expires) {

        static Claimed parse(String value) {
            int end = value.indexOf('\n');
            String second = value.substring(end + 1);
            if (end < 0 || !second.startsWith("expires=")) {
                // Not owned; or edited, so that the mark is not what its holder wrote.
                return new Claimed(unescaped(value), null, null);
            }
            int blank = second.indexOf(' ');
            String expires = second.substring("expires=".length(), Math.max(blank, "expires=".length()));
            return new Claimed(
                    unescaped(value.substring(0, end)), unescaped(second.substring(blank + 1)), instant(expires));
        }

        private static @Nullable Instant instant(String text) {
            try {
                return Instant.parse(text);
            } catch (DateTimeException edited) {
                return null;
            }
        }

        String value() {
            return owner == null ? escaped(mark) : escaped(mark) + "\nexpires=" + expires + " " + escaped(owner);
        }

        private static String escaped(String text) {
            return text.replace("\\", "\\\\").replace("\n", "\\n");
        }

        private static String unescaped(String text) {
            if (text.indexOf('\\') < 0) {
                return text;
            }
            StringBuilder plain = new StringBuilder();
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c == '\\' && i + 1 < text.length()) {
                    i++;
                    c = text.charAt(i) == 'n' ? '\n' : text.charAt(i);
                }
                plain.append(c);
            }
            return plain.toString();
        }
    }

    /** What was read of a worker id and, after that, of the namespace. */
    private record Seen(
            int id,
            RecordStore.@Nullable Entry entry,
            @Nullable Claimed claimed,
            @Nullable String meta,
            Instant time) {

        @Nullable
        String mark() {
            return claimed == null ? null : claimed.mark();
        }

        /** The owner, unless it has expired. */
        @Nullable
        String owner() {
            Instant expires = claimed == null ? null : claimed.expires();
            return claimed == null || expires == null || !time.isBefore(expires) ? null : claimed.owner();
        }

        Slot slot() {
            return new Slot(id, stored(mark()), owner());
        }

        CasResult.Rejected rejected() {
            return new CasResult.Rejected(stored(meta), slot());
        }

        boolean isAsExpected(@Nullable Stored mark, Stored expectedMeta) {
            return Objects.equals(mark(), mark == null ? null : mark.value())
                    && expectedMeta.value().equals(meta);
        }
    }

    private static @Nullable Stored stored(@Nullable String value) {
        return value == null ? null : new Stored(value, 0);
    }

    private static @Nullable String value(RecordStore.Reading reading, String key) {
        RecordStore.Entry entry = reading.entries().get(key);
        return entry == null ? null : entry.value();
    }

    // ---- reading

    @Override
    public Snapshot read(int fromId, int toId, Duration timeout) {
        List<Integer> ids = IntStream.rangeClosed(fromId, toId).boxed().toList();
        Deadline time = Deadline.after(timeout, nanoTime);
        List<Seen> seen = look(ids, time);
        return new Snapshot(
                stored(seen.get(0).meta()), seen.stream().map(Seen::slot).toList(), witnessed(seen.get(0)));
    }

    private @Nullable Instant witnessed(Seen seen) {
        return store.isWitness() ? seen.time() : null;
    }

    /** First the marks, then the namespace: what is read later validates the marks. */
    private List<Seen> look(List<Integer> ids, Deadline time) {
        RecordStore.Reading marks = store.read(ids.stream().map(this::markKey).toList(), time.left());
        RecordStore.Reading meta = store.read(List.of(metaKey()), time.left());
        List<Seen> seen = new ArrayList<>();
        for (int id : ids) {
            RecordStore.Entry entry = marks.entries().get(markKey(id));
            seen.add(new Seen(
                    id,
                    entry,
                    entry == null ? null : Claimed.parse(entry.value()),
                    value(meta, metaKey()),
                    meta.time()));
        }
        return seen;
    }

    private Seen look(int id, Deadline time) {
        return look(List.of(id), time).get(0);
    }

    // ---- writing

    @Override
    public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
        return attempt(timeout, time -> writeMeta(expected, next, time));
    }

    private CasResult writeMeta(@Nullable Stored expected, String next, Deadline time) {
        RecordStore.Entry meta =
                store.read(List.of(metaKey()), time.left()).entries().get(metaKey());
        if (!Objects.equals(expected == null ? null : expected.value(), meta == null ? null : meta.value())) {
            return new CasResult.Rejected(stored(meta == null ? null : meta.value()), null);
        }
        RecordStore.Write write = store.compareAndSet(metaKey(), meta, next, time.left());
        if (write instanceof RecordStore.Write.Unknown unknown) {
            return new CasResult.Unknown(unknown.cause());
        }
        if (write instanceof RecordStore.Write.Applied) {
            return new CasResult.Applied(new Stored(next, 0), false);
        }
        return new CasResult.Rejected(stored(value(store.read(List.of(metaKey()), time.left()), metaKey())), null);
    }

    @Override
    public CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout) {
        return attempt(timeout, time -> claim(id, mark, next, owner, evict, meta, time));
    }

    private CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Deadline time) {
        Seen before = look(id, time);
        if (!before.isAsExpected(mark, meta) || (before.owner() != null && !evict)) {
            return before.rejected();
        }
        return replace(before, new Claimed(next, owner, expiry(before)), meta, true, time);
    }

    @Override
    public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        return extendAll(List.of(new Extension(id, mark, next, owner)), meta, timeout)
                .get(0);
    }

    /** Writes each by itself, between one read of all and another that validates them. */
    @Override
    public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
        if (extensions.isEmpty()) {
            return List.of();
        }
        return attempt(timeout, time -> extendAll(extensions, meta, time), extensions.size());
    }

    private List<CasResult> extendAll(List<Extension> extensions, Stored meta, Deadline time) {
        List<Integer> ids = extensions.stream().map(Extension::id).toList();
        List<Seen> before = look(ids, time);
        List<CasResult> results = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            results.add(extend(extensions.get(i), before.get(i), meta, time));
        }
        return validated(before, results, meta, time);
    }

    /** Not validated yet. */
    private CasResult extend(Extension extension, Seen before, Stored meta, Deadline time) {
        if (!before.isAsExpected(extension.mark(), meta)) {
            return before.rejected();
        }
        String owner = before.owner();
        boolean held = extension.owner().equals(owner);
        Claimed next = held
                ? new Claimed(extension.next(), owner, expiry(before))
                : new Claimed(
                        extension.next(),
                        owner,
                        owner == null || before.claimed() == null
                                ? null
                                : before.claimed().expires());
        try {
            return written(before, next, held, time);
        } catch (CoordinatorException nothingChanged) {
            return new CasResult.Unknown(nothingChanged);
        }
    }

    @Override
    public CasResult release(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        return attempt(timeout, time -> release(id, mark, next, owner, meta, time));
    }

    private CasResult release(int id, Stored mark, String next, String owner, Stored meta, Deadline time) {
        Seen before = look(id, time);
        if (!before.isAsExpected(mark, meta)) {
            return before.rejected();
        }
        String present = before.owner();
        Claimed free = present == null || present.equals(owner) || before.claimed() == null
                ? new Claimed(next, null, null)
                : new Claimed(next, present, before.claimed().expires());
        CasResult written = written(before, free, false, time);
        CasResult result =
                validated(List.of(before), List.of(written), meta, time).get(0);
        return written instanceof CasResult.Applied applied && result instanceof CasResult.Rejected rejected
                ? ofRelease(before, applied, rejected)
                : result;
    }

    /** The release was applied. If another process has claimed the worker id since, show our write, not that process's mark. */
    private static CasResult ofRelease(Seen before, CasResult.Applied applied, CasResult.Rejected rejected) {
        Slot now = rejected.seen();
        return now == null || Objects.equals(stored(before.mark()), now.mark())
                ? rejected
                : new CasResult.Rejected(rejected.meta(), new Slot(before.id(), applied.written(), now.owner()));
    }

    @Override
    public void abandon(int id, String owner, Duration timeout) {
        try {
            Deadline time = Deadline.after(timeout, nanoTime);
            Seen before = look(id, time);
            Claimed claimed = before.claimed();
            if (claimed != null && owner.equals(claimed.owner())) {
                RecordStore.Write unused = store.compareAndSet(
                        markKey(id), before.entry(), new Claimed(claimed.mark(), null, null).value(), time.left());
            }
        } catch (CoordinatorException e) {
            // The owner entry expires, or is evicted.
        }
    }

    private Instant expiry(Seen before) {
        return before.time().plus(timeToLive);
    }

    private CasResult replace(Seen before, Claimed next, Stored meta, boolean held, Deadline time) {
        return validated(List.of(before), List.of(written(before, next, held, time)), meta, time)
                .get(0);
    }

    /** Not validated yet. */
    private CasResult written(Seen before, Claimed next, boolean held, Deadline time) {
        RecordStore.Write write = store.compareAndSet(markKey(before.id()), before.entry(), next.value(), time.left());
        if (write instanceof RecordStore.Write.Unknown unknown) {
            return new CasResult.Unknown(unknown.cause());
        }
        return write instanceof RecordStore.Write.Applied
                ? new CasResult.Applied(new Stored(next.mark(), 0), held)
                : before.rejected();
    }

    /** An applied write that is read back is a grant if the namespace record is still as expected; a rejected one shows what is there now. */
    private List<CasResult> validated(List<Seen> before, List<CasResult> results, Stored meta, Deadline time) {
        if (results.stream().allMatch(CasResult.Unknown.class::isInstance)) {
            return results;
        }
        List<CasResult> validated = new ArrayList<>();
        try {
            List<Seen> after = look(before.stream().map(Seen::id).toList(), time);
            for (int i = 0; i < before.size(); i++) {
                CasResult result = results.get(i);
                Seen now = after.get(i);
                if (result instanceof CasResult.Applied applied && meta.value().equals(now.meta())) {
                    validated.add(granted(applied, before.get(i), now));
                } else {
                    validated.add(result instanceof CasResult.Unknown ? result : now.rejected());
                }
            }
        } catch (CoordinatorException notSeen) {
            for (CasResult result : results) {
                validated.add(result instanceof CasResult.Unknown ? result : new CasResult.Unknown(notSeen));
            }
        }
        return validated;
    }

    /**
     * If a store has two copies, one may acknowledge a write that the other, read next, does not have and would grant again. What others have written
     * since is lawful.
     */
    private CasResult granted(CasResult.Applied applied, Seen before, Seen now) {
        return applied.written().value().equals(now.mark()) || !Objects.equals(before.mark(), now.mark())
                ? new CasResult.Applied(applied.written(), applied.ownerHeld(), witnessed(now))
                : new CasResult.Unknown(new CoordinatorException(
                        "the coordinator acknowledged a write of " + markKey(now.id())
                                + ", after which it shows the same as before",
                        false));
    }

    private CasResult attempt(Duration timeout, Function<Deadline, CasResult> call) {
        return attempt(timeout, time -> List.of(call.apply(time)), 1).get(0);
    }

    /** After an interrupt the outcome is unknown, whatever was interrupted. */
    private List<CasResult> attempt(Duration timeout, Function<Deadline, List<CasResult>> call, int results) {
        try {
            return call.apply(Deadline.after(timeout, nanoTime));
        } catch (CoordinatorException e) {
            if (Thread.currentThread().isInterrupted()) {
                return Collections.nCopies(results, new CasResult.Unknown(e));
            }
            throw e;
        }
    }

    @Override
    public @Nullable Object connection() {
        return store.connection();
    }

    @Override
    public String location() {
        return store.location();
    }

    @Override
    public void close() {
        store.close();
    }
}
