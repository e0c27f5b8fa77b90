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
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
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

    /** Up to so many ids are read key by key: etcd allows 128 operations in a transaction. */
    private static final int MAX_POINT_READS = 30;

    private static final int PAGE = 4_000;

    /** The least an extension leaves for the renewal, however long its transaction took. */
    private static final long MIN_RENEWAL_MILLIS = 200;

    private final EtcdConnection connection;
    private final OwnerWatch watch;
    private final ServerTime serverTime;
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
        this.serverTime = new ServerTime(connection);
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
        Future<Optional<Instant>> now = serverTime.ask();
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
        List<Op> gets = new ArrayList<>();
        gets.add(get(metaKey));
        for (int id = fromId; id <= toId; id++) {
            gets.add(get(mark(id)));
            gets.add(get(owner(id)));
        }
        List<GetResponse> got = commit(deadline, List.of(), gets, List.of()).getGetResponses();
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
                        List.of(get(metaKey), get(mark(id)), get(owner(id))));
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
                return rejected(id, response);
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
        return write(timeout, deadline -> {
            TxnResponse response = commit(
                    deadline,
                    List.of(is(mark(id), mark), is(metaKey, meta)),
                    List.of(put(mark(id), next, 0), get(owner(id))),
                    List.of(get(metaKey), get(mark(id)), get(owner(id))));
            if (!response.isSucceeded()) {
                return rejected(id, response);
            }
            boolean ownerHeld = renew(id, response.getGetResponses().get(0), deadline);
            if (ownerHeld) {
                watch.watch(id, owner(id), response.getHeader().getRevision());
            }
            return new CasResult.Applied(stored(next), ownerHeld);
        });
    }

    /** Whether the owner entry is ours and stays: a lease alone proves nothing, it outlives an owner entry that was deleted. */
    private boolean renew(int id, GetResponse owner, Deadline deadline) {
        Held ours = held.get(id);
        if (ours == null
                || owner.getKvs().isEmpty()
                || !ours.leases().contains(owner.getKvs().get(0).getLease())) {
            return false;
        }
        long lease = owner.getKvs().get(0).getLease();
        held.put(id, new Held(ours.owner(), Set.of(lease)));
        boolean late = deadline.timeRemaining(TimeUnit.MILLISECONDS) < MIN_RENEWAL_MILLIS;
        try {
            LeaseKeepAliveResponse renewed = connection.call(
                    late ? Deadline.after(MIN_RENEWAL_MILLIS, TimeUnit.MILLISECONDS) : deadline,
                    client -> client.getLeaseClient().keepAliveOnce(lease));
            return renewed.getTTL() > 0;
        } catch (EtcdFailure e) {
            // Without an answer the entry still stands, as the transaction has just seen.
            LOG.log(Level.DEBUG, () -> "the lease of worker id " + id + " was not renewed: " + e.getMessage());
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
            TxnResponse response = commit(
                    deadline,
                    List.of(is(mark(id), mark), is(metaKey, meta)),
                    then,
                    List.of(get(metaKey), get(mark(id)), get(owner(id))));
            if (!response.isSucceeded()) {
                return rejected(id, response);
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
    public void close() {
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

    private static CasResult rejected(int id, TxnResponse response) {
        List<GetResponse> seen = response.getGetResponses();
        return new CasResult.Rejected(stored(seen.get(0)), new Slot(id, stored(seen.get(1)), value(seen.get(2))));
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
