// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.snowflakeid.etcd.Transactions.absent;
import static org.snowflakeid.etcd.Transactions.get;
import static org.snowflakeid.etcd.Transactions.is;
import static org.snowflakeid.etcd.Transactions.page;
import static org.snowflakeid.etcd.Transactions.put;
import static org.snowflakeid.etcd.Transactions.ranges;
import static org.snowflakeid.etcd.Transactions.stored;
import static org.snowflakeid.etcd.Transactions.transaction;
import static org.snowflakeid.etcd.Transactions.value;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.Deadline;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
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

    /** etcd takes no more in each of the three lists of a transaction, unless it is configured to. */
    private static final int MAX_OPERATIONS = 128;

    /** Each is a write of the mark and a look at the owner. */
    private static final int MAX_EXTENSIONS = MAX_OPERATIONS / 2;

    /** For so many worker ids a refused transaction can return mark and owner, beside the namespace record. */
    private static final int MAX_SHOWN = (MAX_OPERATIONS - 1) / 2;

    /** Up to so many ids are read key by key. */
    private static final int MAX_POINT_READS = 30;

    private final EtcdConnection connection;
    private final OwnerWatch watch;
    private final OwnerLeases leases;
    private final ByteString metaKey;
    private final String marks;
    private final String workers;

    private interface Write {
        CasResult run(Deadline deadline) throws EtcdFailure;
    }

    EtcdCoordinator(CoordinatorConfig config, EtcdConnection connection, Runnable lossHint) {
        this.connection = connection;
        this.watch = new OwnerWatch(connection, lossHint);
        this.leases = new OwnerLeases(config, connection, lossHint);
        String root = "/" + config.namespace() + "/";
        this.metaKey = ByteString.copyFromUtf8(root + "meta");
        this.marks = root + "marks/";
        this.workers = root + "workers/";
    }

    private ByteString mark(int id) {
        return ByteString.copyFromUtf8(marks + id);
    }

    private ByteString owner(int id) {
        return ByteString.copyFromUtf8(workers + id);
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

    /** What was read of the slots of a range, from keys or from pages. */
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
        List<RangeResponse> got = ranges(commit(deadline, List.of(), gets(ids), List.of()));
        Reading reading = new Reading(fromId, toId);
        reading.meta = stored(got.get(0));
        for (int id = fromId; id <= toId; id++) {
            int i = 1 + 2 * (id - fromId);
            reading.marks[id - fromId] = stored(got.get(i));
            reading.owners[id - fromId] = value(got.get(i + 1));
        }
        return reading;
    }

    /** Reads both prefixes in pages, all at the revision of the first: worker ids are not padded, so a range of keys is no range of ids. */
    private Reading readRanges(int fromId, int toId, Deadline deadline) throws EtcdFailure {
        Reading reading = new Reading(fromId, toId);
        TxnResponse first = commit(
                deadline, List.of(), List.of(get(metaKey), page(marks, null, 0), page(workers, null, 0)), List.of());
        List<RangeResponse> pages = ranges(first);
        reading.meta = stored(pages.get(0));
        long revision = first.getHeader().getRevision();
        readOn(marks, pages.get(1), revision, deadline, reading::mark);
        readOn(workers, pages.get(2), revision, deadline, reading::owner);
        return reading;
    }

    private void readOn(
            String prefix, RangeResponse first, long revision, Deadline deadline, BiConsumer<Integer, String> sink)
            throws EtcdFailure {
        RangeResponse page = first;
        for (; ; ) {
            for (KeyValue entry : page.getKvsList()) {
                String number = entry.getKey().toStringUtf8().substring(prefix.length());
                // Anything else there is not ours to read: "007" and "7" would be the same worker id.
                if (number.matches("0|[1-9]\\d{0,8}")) {
                    sink.accept(Integer.parseInt(number), entry.getValue().toStringUtf8());
                }
            }
            if (!page.getMore()) {
                return;
            }
            ByteString last =
                    page.getKvsList().get(page.getKvsList().size() - 1).getKey();
            RequestOp next = page(prefix, last, revision);
            page = ranges(commit(deadline, List.of(), List.of(next), List.of())).get(0);
        }
    }

    // Writing

    @Override
    public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
        return write(timeout, deadline -> {
            TxnResponse response = commit(
                    deadline, List.of(is(metaKey, expected)), List.of(put(metaKey, next, 0)), List.of(get(metaKey)));
            return response.getSucceeded()
                    ? new CasResult.Applied(stored(next), false)
                    : new CasResult.Rejected(stored(ranges(response).get(0)), null);
        });
    }

    @Override
    public CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout) {
        return write(timeout, deadline -> {
            List<Compare> compares = new ArrayList<>(List.of(is(mark(id), mark), is(metaKey, meta)));
            if (!evict) {
                compares.add(absent(owner(id)));
            }
            TxnResponse response = leases.claim(
                    owner,
                    deadline,
                    lease -> commit(
                            deadline,
                            compares,
                            List.of(put(mark(id), next, 0), put(owner(id), owner, lease)),
                            gets(List.of(id))));
            if (!response.getSucceeded()) {
                return rejected(List.of(id), response).get(0);
            }
            watch.end(owner(id));
            watch.watch(owner(id), response.getHeader().getRevision());
            return new CasResult.Applied(stored(next), true);
        });
    }

    @Override
    public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        return extendAll(List.of(new Extension(id, mark, next, owner)), meta, timeout)
                .get(0);
    }

    @Override
    public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
        Deadline deadline = connection.deadline(timeout);
        // Meanwhile, since no answer to a write tells it.
        Future<Optional<Instant>> now = connection.askTime();
        List<CasResult> results = new ArrayList<>();
        for (int from = 0; from < extensions.size(); from += MAX_EXTENSIONS) {
            int to = Math.min(from + MAX_EXTENSIONS, extensions.size());
            try {
                results.addAll(extendTogether(extensions.subList(from, to), meta, deadline));
            } catch (EtcdFailure e) {
                if (e.nothingChanged() && from == 0) {
                    throw e.exception();
                }
                // The others would fail in the same way, or exceed the time that is left.
                results.addAll(Collections.nCopies(extensions.size() - from, new CasResult.Unknown(e.exception())));
                break;
            }
        }
        boolean applied = results.stream().anyMatch(CasResult.Applied.class::isInstance);
        return applied ? withTime(results, ServerTime.answer(now, deadline)) : results;
    }

    private static List<CasResult> withTime(List<CasResult> results, @Nullable Instant time) {
        results.replaceAll(result -> result instanceof CasResult.Applied applied
                ? new CasResult.Applied(applied.written(), applied.ownerHeld(), time)
                : result);
        return results;
    }

    private List<CasResult> extendTogether(List<Extension> extensions, Stored meta, Deadline deadline)
            throws EtcdFailure {
        List<Compare> compares = new ArrayList<>();
        List<RequestOp> then = new ArrayList<>();
        for (Extension each : extensions) {
            compares.add(is(mark(each.id()), each.mark()));
            then.add(put(mark(each.id()), each.next(), 0));
        }
        compares.add(is(metaKey, meta));
        List<Integer> ids = extensions.stream().map(Extension::id).toList();
        ids.forEach(id -> then.add(get(owner(id))));
        List<Integer> shown = ids.subList(0, Math.min(MAX_SHOWN, ids.size()));
        TxnResponse response = commit(deadline, compares, then, gets(shown));
        if (!response.getSucceeded()) {
            List<CasResult> rejected = new ArrayList<>(rejected(shown, response));
            rejected.addAll(lookAt(ids.subList(shown.size(), ids.size()), deadline));
            return rejected;
        }
        List<Boolean> held = leases.keepAlive(extensions, ranges(response), deadline);
        List<CasResult> applied = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            int id = ids.get(i);
            if (held.get(i)) {
                watch.watch(owner(id), response.getHeader().getRevision());
            }
            applied.add(new CasResult.Applied(stored(extensions.get(i).next()), held.get(i)));
        }
        return applied;
    }

    /** Reads what the refusal had no room to show: a later state, which is just as true. */
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

    @Override
    public CasResult release(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        return write(timeout, deadline -> {
            watch.end(owner(id));
            // Nested, so that the mark is freed in any case and the entry of another owner stays.
            RequestOp removal =
                    RequestOp.newBuilder().setRequestTxn(removal(id, owner)).build();
            TxnResponse response = commit(
                    deadline,
                    List.of(is(mark(id), mark), is(metaKey, meta)),
                    List.of(put(mark(id), next, 0), removal),
                    gets(List.of(id)));
            if (!response.getSucceeded()) {
                return rejected(List.of(id), response).get(0);
            }
            leases.revokeDoubtful(owner, deadline);
            revokeUnused(response.getResponses(1).getResponseTxn(), deadline);
            return new CasResult.Applied(stored(next), false);
        });
    }

    @Override
    public void abandon(int id, String owner, Duration timeout) {
        Deadline deadline = connection.deadline(timeout);
        watch.end(owner(id));
        leases.revokeDoubtful(owner, deadline);
        try {
            revokeUnused(connection.call(deadline, EtcdMethods.TXN, removal(id, owner)), deadline);
        } catch (EtcdFailure e) {
            LOG.log(Level.DEBUG, () -> "the owner of worker id " + id + " is left to expire: " + e.getMessage());
        }
    }

    private TxnRequest removal(int id, String owner) {
        RequestOp delete = RequestOp.newBuilder()
                .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(owner(id)))
                .build();
        return transaction(List.of(is(owner(id), stored(owner))), List.of(get(owner(id)), delete), List.of());
    }

    private void revokeUnused(TxnResponse removed, Deadline deadline) {
        ranges(removed).forEach(found -> leases.revoke(found.getKvs(0).getLease(), deadline));
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
            return new CasResult.Unknown(e.ofUnknownOutcome());
        }
    }

    /** What was seen, in the order of {@link #gets}. */
    private static List<CasResult> rejected(List<Integer> ids, TxnResponse response) {
        List<RangeResponse> seen = ranges(response);
        List<CasResult> rejected = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            Slot slot = new Slot(ids.get(i), stored(seen.get(1 + 2 * i)), value(seen.get(2 + 2 * i)));
            rejected.add(new CasResult.Rejected(stored(seen.get(0)), slot));
        }
        return rejected;
    }

    private List<RequestOp> gets(List<Integer> ids) {
        List<RequestOp> gets = new ArrayList<>(List.of(get(metaKey)));
        for (int id : ids) {
            gets.add(get(mark(id)));
            gets.add(get(owner(id)));
        }
        return gets;
    }

    private TxnResponse commit(
            Deadline deadline, List<Compare> compares, List<RequestOp> then, List<RequestOp> otherwise)
            throws EtcdFailure {
        return connection.call(deadline, EtcdMethods.TXN, transaction(compares, then, otherwise));
    }
}
