// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Txn;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.op.Cmp;
import io.etcd.jetcd.op.CmpTarget;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.OptionsUtil;
import io.etcd.jetcd.options.PutOption;
import io.grpc.Deadline;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/**
 * Marks at {@code /<namespace>/marks/<n>}, owners at {@code /<namespace>/workers/<n>} under a lease of their own each, the
 * namespace record at {@code /<namespace>/meta}. Each write is one transaction that compares whole values: revisions repeat
 * after a restore of etcd, values never do.
 */
final class EtcdCoordinator implements WorkerCoordinator {
    private static final System.Logger LOG = System.getLogger(EtcdCoordinator.class.getName());

    /** etcd takes no more in each of the three lists of a transaction, unless it is told to. */
    private static final int MAX_OPERATIONS = 128;

    /** Each is a write of the mark and a look at the owner. */
    private static final int MAX_EXTENSIONS = MAX_OPERATIONS / 2;

    /** Of so many worker ids, mark and owner each, a refused transaction can show what it saw, beside the namespace record. */
    private static final int MAX_SHOWN = (MAX_OPERATIONS - 1) / 2;

    /** Up to so many ids are read key by key. */
    private static final int MAX_POINT_READS = 30;

    private static final int PAGE = 4_000;

    /** The least an extension leaves for the renewal, however long its transaction took. */
    private static final long MIN_RENEWAL_MILLIS = 200;

    private final EtcdConnection connection;
    private final OwnerWatch watch;
    private final long timeToLiveSeconds;
    private final ByteSequence metaKey;
    private final String marks;
    private final String workers;

    /** Leases under which the owner entry of a worker id was or may have been written. */
    private final Map<Integer, Held> held = new HashMap<>();

    /** A lease whose claim was rejected, so that certainly nothing hangs on it. */
    private @Nullable Lease spare;

    private record Held(String owner, Set<Long> leases) {}

    private record Lease(long id, long grantedNanos) {}

    private interface Write {
        CasResult run(Deadline deadline) throws EtcdFailure;
    }

    EtcdCoordinator(CoordinatorConfig config, EtcdConnection connection, Runnable lossHint) {
        this.connection = connection;
        this.watch = new OwnerWatch(connection, lossHint);
        this.timeToLiveSeconds = (config.timeToLive().toMillis() + 999) / 1_000;
        String root = "/" + config.namespace() + "/";
        this.metaKey = EtcdConnection.utf8(root + "meta");
        this.marks = root + "marks/";
        this.workers = root + "workers/";
    }

    private ByteSequence mark(int id) {
        return EtcdConnection.utf8(marks + id);
    }

    private ByteSequence owner(int id) {
        return EtcdConnection.utf8(workers + id);
    }

    // Reading

    @Override
    public Snapshot read(int fromId, int toId, Duration timeout) {
        Deadline deadline = connection.deadline(timeout);
        Future<Optional<Instant>> now = connection.askTime();
        try {
            Reading reading = toId - fromId < MAX_POINT_READS
                    ? readPoints(fromId, toId, deadline)
                    : readRanges(fromId, toId, deadline);
            return new Snapshot(reading.meta, reading.slots(), ServerTime.answer(now, deadline));
        } catch (EtcdFailure e) {
            throw e.exception();
        }
    }

    /** What was read of the slots of a range, wherever it came from. */
    private static final class Reading {
        private final int fromId;
        private final @Nullable Stored[] marks;
        private final @Nullable String[] owners;
        private @Nullable Stored meta;

        Reading(int fromId, int toId) {
            this.fromId = fromId;
            this.marks = new Stored[toId - fromId + 1];
            this.owners = new String[toId - fromId + 1];
        }

        List<Slot> slots() {
            List<Slot> slots = new ArrayList<>(marks.length);
            for (int i = 0; i < marks.length; i++) {
                slots.add(new Slot(fromId + i, marks[i], owners[i]));
            }
            return slots;
        }

        void mark(int id, String value) {
            if (id >= fromId && id - fromId < marks.length) {
                marks[id - fromId] = stored(value);
            }
        }

        void owner(int id, String value) {
            if (id >= fromId && id - fromId < owners.length) {
                owners[id - fromId] = value;
            }
        }
    }

    private Reading readPoints(int fromId, int toId, Deadline deadline) throws EtcdFailure {
        List<Integer> ids = IntStream.rangeClosed(fromId, toId).boxed().toList();
        List<GetResponse> got =
                commit(deadline, List.of(), gets(ids), List.of()).getGetResponses();
        Reading reading = new Reading(fromId, toId);
        reading.meta = stored(got.get(0));
        for (int id = fromId; id <= toId; id++) {
            int i = 1 + 2 * (id - fromId);
            reading.marks[id - fromId] = stored(got.get(i));
            reading.owners[id - fromId] = value(got.get(i + 1));
        }
        return reading;
    }

    /** Both prefixes in pages, all of the revision of the first: worker ids are not padded, so a range of keys is no range of ids. */
    private Reading readRanges(int fromId, int toId, Deadline deadline) throws EtcdFailure {
        Reading reading = new Reading(fromId, toId);
        TxnResponse first = commit(
                deadline, List.of(), List.of(get(metaKey), page(marks, null, 0), page(workers, null, 0)), List.of());
        reading.meta = stored(first.getGetResponses().get(0));
        long revision = first.getHeader().getRevision();
        readOn(marks, first.getGetResponses().get(1), revision, deadline, reading::mark);
        readOn(workers, first.getGetResponses().get(2), revision, deadline, reading::owner);
        return reading;
    }

    private void readOn(
            String prefix, GetResponse first, long revision, Deadline deadline, BiConsumer<Integer, String> sink)
            throws EtcdFailure {
        GetResponse page = first;
        for (; ; ) {
            for (KeyValue entry : page.getKvs()) {
                String number = text(entry.getKey()).substring(prefix.length());
                // Anything else there is not ours to read: "007" and "7" would be the same worker id.
                if (number.matches("0|[1-9]\\d{0,8}")) {
                    sink.accept(Integer.parseInt(number), text(entry.getValue()));
                }
            }
            if (!page.isMore()) {
                return;
            }
            ByteSequence last = page.getKvs().get(page.getKvs().size() - 1).getKey();
            Op next = page(prefix, last, revision);
            page = commit(deadline, List.of(), List.of(next), List.of())
                    .getGetResponses()
                    .get(0);
        }
    }

    private static Op page(String prefix, @Nullable ByteSequence after, long revision) {
        ByteSequence start = EtcdConnection.utf8(prefix);
        GetOption option = GetOption.builder()
                .withRange(OptionsUtil.prefixEndOf(start))
                .withLimit(PAGE)
                .withRevision(revision)
                .build();
        return Op.get(after == null ? start : after.concat(ByteSequence.from(new byte[1])), option);
    }

    // Writing

    @Override
    public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
        return write(timeout, deadline -> {
            TxnResponse response = commit(
                    deadline, List.of(is(metaKey, expected)), List.of(put(metaKey, next, 0)), List.of(get(metaKey)));
            return response.isSucceeded()
                    ? new CasResult.Applied(stored(next), false)
                    : new CasResult.Rejected(stored(response.getGetResponses().get(0)), null);
        });
    }

    @Override
    public CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout) {
        return write(timeout, deadline -> {
            Lease lease = lease(deadline);
            List<Cmp> compares = new ArrayList<>(List.of(is(mark(id), mark), is(metaKey, meta)));
            if (!evict) {
                compares.add(absent(owner(id)));
            }
            Held before = held.get(id);
            Set<Long> leases = new LinkedHashSet<>(before == null ? Set.of() : before.leases());
            leases.add(lease.id());
            held.put(id, new Held(owner, leases));
            TxnResponse response;
            try {
                response = commit(
                        deadline,
                        compares,
                        List.of(put(mark(id), next, 0), put(owner(id), owner, lease.id())),
                        gets(List.of(id)));
            } catch (EtcdFailure e) {
                if (e.nothingChanged()) {
                    restore(id, before);
                    spare = e.leaseNotFound() ? null : lease;
                }
                throw e;
            }
            if (!response.isSucceeded()) {
                restore(id, before);
                spare = lease;
                return rejected(List.of(id), response).get(0);
            }
            held.put(id, new Held(owner, Set.of(lease.id())));
            watch.end(id);
            watch.watch(id, owner(id), response.getHeader().getRevision());
            return new CasResult.Applied(stored(next), true);
        });
    }

    private void restore(int id, @Nullable Held before) {
        if (before == null) {
            held.remove(id);
        } else {
            held.put(id, before);
        }
    }

    /** A lease on which nothing hangs, with its time to live still before it. */
    private Lease lease(Deadline deadline) throws EtcdFailure {
        Lease unused = spare;
        spare = null;
        long freshNanos = TimeUnit.SECONDS.toNanos(timeToLiveSeconds) / 10;
        if (unused != null && System.nanoTime() - unused.grantedNanos() < freshNanos) {
            return unused;
        }
        long now = System.nanoTime();
        try {
            return new Lease(
                    connection
                            .call(deadline, client -> client.getLeaseClient().grant(timeToLiveSeconds))
                            .getID(),
                    now);
        } catch (EtcdFailure e) {
            // The claim itself was not even sent; the lease, if it was granted, expires.
            throw e.withNothingChanged();
        }
    }

    @Override
    public CasResult extend(int id, Stored mark, String next, Stored meta, Duration timeout) {
        return extendAll(List.of(new Extension(id, mark, next)), meta, timeout).get(0);
    }

    @Override
    public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
        Deadline deadline = connection.deadline(timeout);
        List<CasResult> results = new ArrayList<>();
        for (int from = 0; from < extensions.size(); from += MAX_EXTENSIONS) {
            int to = Math.min(from + MAX_EXTENSIONS, extensions.size());
            try {
                results.addAll(extendTogether(extensions.subList(from, to), meta, deadline));
            } catch (EtcdFailure e) {
                if (e.nothingChanged() && from == 0) {
                    throw e.exception();
                }
                // The others would fail in the same way, or take more time than there is.
                results.addAll(Collections.nCopies(extensions.size() - from, new CasResult.Unknown(e.exception())));
                break;
            }
        }
        return results;
    }

    private List<CasResult> extendTogether(List<Extension> extensions, Stored meta, Deadline deadline)
            throws EtcdFailure {
        List<Cmp> compares = new ArrayList<>();
        List<Op> then = new ArrayList<>();
        for (Extension each : extensions) {
            compares.add(is(mark(each.id()), each.mark()));
            then.add(put(mark(each.id()), each.next(), 0));
        }
        compares.add(is(metaKey, meta));
        List<Integer> ids = extensions.stream().map(Extension::id).toList();
        ids.forEach(id -> then.add(get(owner(id))));
        List<Integer> shown = ids.subList(0, Math.min(MAX_SHOWN, ids.size()));
        TxnResponse response = commit(deadline, compares, then, gets(shown));
        if (!response.isSucceeded()) {
            List<CasResult> rejected = new ArrayList<>(rejected(shown, response));
            rejected.addAll(lookAt(ids.subList(shown.size(), ids.size()), deadline));
            return rejected;
        }
        List<Boolean> held = renew(ids, response.getGetResponses(), deadline);
        List<CasResult> applied = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            int id = ids.get(i);
            if (held.get(i)) {
                watch.watch(id, owner(id), response.getHeader().getRevision());
            }
            applied.add(new CasResult.Applied(stored(extensions.get(i).next()), held.get(i)));
        }
        return applied;
    }

    /** What there was no room to show: later than the refusal, which is no less true. */
    private List<CasResult> lookAt(List<Integer> ids, Deadline deadline) throws EtcdFailure {
        if (ids.isEmpty()) {
            return List.of();
        }
        try {
            return rejected(ids, commit(deadline, List.of(), gets(ids), List.of()));
        } catch (EtcdFailure e) {
            throw e.withNothingChanged();
        }
    }

    /**
     * Which of the owner entries are ours and stay: a lease alone proves nothing, it outlives an owner entry that was deleted. Their leases
     * are renewed at the same time.
     */
    private List<Boolean> renew(List<Integer> ids, List<GetResponse> owners, Deadline deadline) {
        List<EtcdConnection.Request<LeaseKeepAliveResponse>> renewals = new ArrayList<>();
        List<Boolean> ours = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            Held holding = held.get(ids.get(i));
            List<KeyValue> entry = owners.get(i).getKvs();
            boolean own = holding != null
                    && !entry.isEmpty()
                    && holding.leases().contains(entry.get(0).getLease());
            ours.add(own);
            if (holding != null && own) {
                long lease = entry.get(0).getLease();
                held.put(ids.get(i), new Held(holding.owner(), Set.of(lease)));
                renewals.add(client -> client.getLeaseClient().keepAliveOnce(lease));
            }
        }
        boolean late = deadline.timeRemaining(TimeUnit.MILLISECONDS) < MIN_RENEWAL_MILLIS;
        Iterator<EtcdConnection.Answer<LeaseKeepAliveResponse>> answers = connection
                .callAll(late ? Deadline.after(MIN_RENEWAL_MILLIS, TimeUnit.MILLISECONDS) : deadline, renewals)
                .iterator();
        return ours.stream().map(own -> own && isRenewed(answers.next())).toList();
    }

    private static boolean isRenewed(EtcdConnection.Answer<LeaseKeepAliveResponse> answer) {
        try {
            return answer.get().getTTL() > 0;
        } catch (EtcdFailure e) {
            // Without an answer the entry still stands, as the transaction has just seen.
            LOG.log(Level.DEBUG, () -> "a lease was not renewed: " + e.getMessage());
            return !e.leaseNotFound();
        }
    }

    @Override
    public CasResult release(int id, Stored mark, String next, Stored meta, Duration timeout) {
        return write(timeout, deadline -> {
            watch.end(id);
            Held ours = held.get(id);
            List<Op> then = new ArrayList<>(List.of(put(mark(id), next, 0)));
            if (ours != null) {
                // Nested, so that the mark is freed in any case and an owner who is somebody else stays.
                Cmp own = new Cmp(owner(id), Cmp.Op.EQUAL, CmpTarget.value(EtcdConnection.utf8(ours.owner())));
                then.add(Op.txn(new Cmp[] {own}, new Op[] {Op.delete(owner(id), DeleteOption.DEFAULT)}, new Op[0]));
            }
            TxnResponse response =
                    commit(deadline, List.of(is(mark(id), mark), is(metaKey, meta)), then, gets(List.of(id)));
            if (!response.isSucceeded()) {
                return rejected(List.of(id), response).get(0);
            }
            revoke(id, deadline);
            return new CasResult.Applied(stored(next), false);
        });
    }

    @Override
    public void abandon(int id, Duration timeout) {
        watch.end(id);
        revoke(id, connection.deadline(timeout));
    }

    /** A claim under a revoked lease is refused as a whole, whenever it arrives. */
    private void revoke(int id, Deadline deadline) {
        Held ours = held.remove(id);
        if (ours == null) {
            return;
        }
        for (long lease : ours.leases()) {
            try {
                connection.call(deadline, client -> client.getLeaseClient().revoke(lease));
            } catch (EtcdFailure e) {
                LOG.log(Level.DEBUG, () -> "a lease of worker id " + id + " is left to expire: " + e.getMessage());
            }
        }
    }

    @Override
    public Object connection() {
        return connection.access();
    }

    @Override
    public void close() {
        watch.endAll();
        connection.close();
    }

    private CasResult write(Duration timeout, Write write) {
        try {
            return write.run(connection.deadline(timeout));
        } catch (EtcdFailure e) {
            if (e.nothingChanged()) {
                throw e.exception();
            }
            return new CasResult.Unknown(e.exception());
        }
    }

    /** What was seen, in the order of {@link #gets}. */
    private static List<CasResult> rejected(List<Integer> ids, TxnResponse response) {
        List<GetResponse> seen = response.getGetResponses();
        List<CasResult> rejected = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            Slot slot = new Slot(ids.get(i), stored(seen.get(1 + 2 * i)), value(seen.get(2 + 2 * i)));
            rejected.add(new CasResult.Rejected(stored(seen.get(0)), slot));
        }
        return rejected;
    }

    private List<Op> gets(List<Integer> ids) {
        List<Op> gets = new ArrayList<>(List.of(get(metaKey)));
        for (int id : ids) {
            gets.add(get(mark(id)));
            gets.add(get(owner(id)));
        }
        return gets;
    }

    private TxnResponse commit(Deadline deadline, List<Cmp> compares, List<Op> then, List<Op> otherwise)
            throws EtcdFailure {
        return connection.call(deadline, client -> {
            // Without TxnOption: an automatic retry would send a write twice.
            Txn txn = client.getKVClient().txn();
            return txn.If(compares.toArray(Cmp[]::new))
                    .Then(then.toArray(Op[]::new))
                    .Else(otherwise.toArray(Op[]::new))
                    .commit();
        });
    }

    private static Cmp is(ByteSequence key, @Nullable Stored expected) {
        return expected == null
                ? absent(key)
                : new Cmp(key, Cmp.Op.EQUAL, CmpTarget.value(EtcdConnection.utf8(expected.value())));
    }

    private static Cmp absent(ByteSequence key) {
        return new Cmp(key, Cmp.Op.EQUAL, CmpTarget.createRevision(0));
    }

    private static Op get(ByteSequence key) {
        return Op.get(key, GetOption.DEFAULT);
    }

    /** @param lease 0 for none */
    private static Op put(ByteSequence key, String value, long lease) {
        return Op.put(
                key,
                EtcdConnection.utf8(value),
                PutOption.builder().withLeaseId(lease).build());
    }

    private static String text(ByteSequence bytes) {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private static @Nullable String value(GetResponse response) {
        return response.getKvs().isEmpty()
                ? null
                : text(response.getKvs().get(0).getValue());
    }

    private static @Nullable Stored stored(GetResponse response) {
        String value = value(response);
        return value == null ? null : stored(value);
    }

    private static Stored stored(String value) {
        return new Stored(value, 0);
    }
}
