// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CasResult.Applied;
import org.snowflakeid.spi.CasResult.Rejected;
import org.snowflakeid.spi.CasResult.Unknown;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinator.Extension;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * The promises of {@link WorkerCoordinator}, each as a test. A coordinator's own test extends this class, hands it its
 * {@link CoordinatorFixture} and does nothing more: no case can be overridden, skipped or declared not to apply.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
public abstract class WorkerCoordinatorContract {

    private static final String META = "id=6f1c state=active format=1 worker-id-bits=10";
    private static final int ID = 7;

    private final CoordinatorFixture fixture;
    private final String namespace = "tck-" + UUID.randomUUID();
    private final List<WorkerCoordinator> open = new ArrayList<>();
    private int written;

    protected WorkerCoordinatorContract(CoordinatorFixture fixture) {
        this.fixture = fixture;
    }

    @AfterEach
    final void closeEverything() throws Exception {
        fixture.reconnect(namespace);
        open.forEach(WorkerCoordinator::close);
    }

    // ---- the provider

    @Test
    public final void isFoundByItsName() {
        List<String> names = ServiceLoader.load(WorkerCoordinatorProvider.class).stream()
                .map(found -> found.get().name())
                .toList();

        assertThat(names).contains(fixture.provider().name());
        assertThat(fixture.provider().name()).matches("[a-z0-9]+(-[a-z0-9]+)*");
    }

    @Test
    public final void opensWithoutTheServer() throws Exception {
        fixture.disconnect(namespace);
        WorkerCoordinator coordinator = open();
        fixture.reconnect(namespace);

        assertThat(readOnce(coordinator, ID, ID).slots()).hasSize(1);
    }

    // ---- reading

    @Test
    public final void readsNothingWhereNothingWasWritten() {
        Snapshot snapshot = open().read(ID, ID, timeout());

        assertThat(snapshot.meta()).isNull();
        assertThat(snapshot.slots()).containsExactly(new Slot(ID, null, null));
    }

    @Test
    public final void readsExactlyTheRangeAskedForInAscendingOrder() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        for (int id : new int[] {2, 3, 9, 10, 100, 1023}) {
            claim(coordinator, id, null, meta);
        }

        assertThat(ids(coordinator.read(3, 10, timeout()))).containsExactly(3, 4, 5, 6, 7, 8, 9, 10);
        assertThat(claimed(coordinator.read(3, 10, timeout()))).containsExactly(3, 9, 10);
        assertThat(claimed(coordinator.read(9, 9, timeout()))).containsExactly(9);
        assertThat(ids(coordinator.read(0, 1023, timeout())))
                .isEqualTo(IntStream.rangeClosed(0, 1023).boxed().toList());
        assertThat(claimed(coordinator.read(0, 1023, timeout()))).containsExactly(2, 3, 9, 10, 100, 1023);
        assertThat(coordinator.read(3, 10, timeout()).meta()).isEqualTo(meta);
    }

    @Test
    public final void readsALargeRange() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        claim(coordinator, 65_535, null, meta);

        Snapshot snapshot = coordinator.read(0, 65_535, timeout());

        assertThat(ids(snapshot))
                .isEqualTo(IntStream.rangeClosed(0, 65_535).boxed().toList());
        assertThat(claimed(snapshot)).containsExactly(65_535);
    }

    @Test
    public final void keepsValuesExactly() {
        WorkerCoordinator coordinator = open();
        String odd = " limit=7  unknown-pair=\u00e9\u6f22\uD83D\uDE00 a=%20+\\t\"'`$<&> b==/=, \t end ";

        Stored meta =
                applied(coordinator.writeMeta(null, "meta" + odd, timeout())).written();
        Stored mark = applied(coordinator.claim(ID, null, "mark" + odd, "owner" + odd, false, meta, timeout()))
                .written();

        Snapshot seen = open().read(ID, ID, timeout());
        assertThat(meta.value()).isEqualTo("meta" + odd);
        assertThat(mark.value()).isEqualTo("mark" + odd);
        assertThat(seen.meta()).isEqualTo(meta);
        assertThat(slot(seen)).isEqualTo(new Slot(ID, mark, "owner" + odd));
        assertThat(coordinator.extend(ID, mark, "mark" + odd + odd, "owner" + odd, meta, timeout()))
                .isInstanceOf(Applied.class);
    }

    @Test
    public final void keepsLongValues() {
        WorkerCoordinator coordinator = open();
        String value = "pairs-of-a-newer-version=" + "x".repeat(4000);

        Stored meta = applied(coordinator.writeMeta(null, value, timeout())).written();

        assertThat(open().read(ID, ID, timeout()).meta()).isEqualTo(meta);
        assertThat(meta.value()).isEqualTo(value);
    }

    @Test
    public final void keepsLongMarksAndOwners() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        String owner = long4000("token=a host=");

        Stored claimed = applied(coordinator.claim(ID, null, long4000("limit=1 a="), owner, false, meta, timeout()))
                .written();
        Slot seenClaimed = slot(open());
        Applied extended = applied(coordinator.extend(ID, claimed, long4000("limit=2 b="), owner, meta, timeout()));
        Slot seenExtended = slot(open());
        Stored released = applied(
                        coordinator.release(ID, extended.written(), long4000("limit=3 c="), owner, meta, timeout()))
                .written();

        assertThat(claimed.value()).isEqualTo(long4000("limit=1 a="));
        assertThat(seenClaimed).isEqualTo(new Slot(ID, claimed, owner));
        assertThat(extended.written().value()).isEqualTo(long4000("limit=2 b="));
        assertThat(extended.ownerHeld()).isTrue();
        assertThat(seenExtended).isEqualTo(new Slot(ID, extended.written(), owner));
        assertThat(slot(open())).isEqualTo(new Slot(ID, released, null));
        assertThat(released.value()).isEqualTo(long4000("limit=3 c="));
    }

    private static String long4000(String begin) {
        return begin + "x".repeat(4_000 - begin.length());
    }

    @Test
    public final void tellsATimeThatIsNearOrNone() {
        Instant seen = open().read(ID, ID, timeout()).serverTime();

        long now = fixture.platform().wallMillis();
        assertThat(seen == null ? now : seen.toEpochMilli()).isCloseTo(now, within(60_000L));
    }

    @Test
    public final void tellsTheTimeWithAnExtensionIfTheServerHasAClock() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored[] mark = {claim(coordinator, ID, null, meta)};
        String owner = owner(mark[0]);
        // If it takes a request of its own, the answer may be missing.
        Duration patience = fixture.tellsTime() ? fixture.unit().multipliedBy(10) : Duration.ZERO;

        boolean told = fixture.comesTrue(patience, () -> {
            long before = fixture.platform().wallMillis();
            Applied extended = applied(coordinator.extend(ID, mark[0], next(), owner, meta, timeout()));
            long after = fixture.platform().wallMillis();
            mark[0] = extended.written();
            Instant time = extended.serverTime();
            assertThat(time == null ? before : time.toEpochMilli()).isBetween(before - 2_000, after + 2_000);
            return time != null;
        });

        assertThat(told).isEqualTo(fixture.tellsTime());
    }

    @Test
    public final void keepsNamespacesApart() {
        WorkerCoordinator one = open();
        WorkerCoordinator other = open(namespace + "/orders");
        Stored meta = create(one);
        Stored otherMeta = applied(other.writeMeta(null, "id=other", timeout())).written();
        Stored mark = claim(one, ID, null, meta);
        Stored otherMark = claim(other, ID, null, otherMeta);

        assertThat(slot(one)).isEqualTo(new Slot(ID, mark, owner(mark)));
        assertThat(slot(other)).isEqualTo(new Slot(ID, otherMark, owner(otherMark)));
        assertThat(one.read(ID, ID, timeout()).meta()).isEqualTo(meta);
        assertThat(other.read(ID, ID, timeout()).meta()).isEqualTo(otherMeta);
    }

    // ---- meta

    @Test
    public final void createsTheNamespaceOnce() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);

        CasResult second = open().writeMeta(null, "id=second", timeout());

        assertThat(rejected(second).meta()).isEqualTo(meta);
        assertThat(rejected(second).seen()).isNull();
        assertThat(coordinator.read(ID, ID, timeout()).meta()).isEqualTo(meta);
    }

    @Test
    public final void replacesMetaOnlyWhereItIsAsExpected() {
        WorkerCoordinator coordinator = open();
        Stored first = create(coordinator);
        Stored second = applied(coordinator.writeMeta(first, META + " floor=5", timeout()))
                .written();

        assertThat(second.value()).isEqualTo(META + " floor=5");
        assertThat(rejected(coordinator.writeMeta(first, META + " floor=6", timeout()))
                        .meta())
                .isEqualTo(second);
        assertThat(coordinator.read(ID, ID, timeout()).meta()).isEqualTo(second);
    }

    @Test
    public final void writesMetaNowhereElse() {
        WorkerCoordinator coordinator = open();

        assertThat(coordinator.writeMeta(new Stored(META, 0), "next", timeout()))
                .isInstanceOf(Rejected.class);
        assertThat(coordinator.read(ID, ID, timeout()).meta()).isNull();
    }

    // ---- claiming

    @Test
    public final void claimsAWorkerIdThatWasNeverClaimed() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);

        Applied result = applied(coordinator.claim(ID, null, "limit=10 token=a", "token=a", false, meta, timeout()));

        assertThat(result.written().value()).isEqualTo("limit=10 token=a");
        assertThat(result.ownerHeld()).isTrue();
        assertThat(slot(open())).isEqualTo(new Slot(ID, result.written(), "token=a"));
    }

    @Test
    public final void claimsNothingWhileAnOwnerIsPresent() {
        WorkerCoordinator holder = open();
        Stored meta = create(holder);
        Stored mark = claim(holder, ID, null, meta);

        CasResult other = open().claim(ID, mark, "limit=99", "token=other", false, meta, timeout());
        CasResult again = holder.claim(ID, mark, "limit=99", "token=again", false, meta, timeout());

        Slot held = new Slot(ID, mark, owner(mark));
        assertThat(rejected(other)).isEqualTo(new Rejected(meta, held));
        assertThat(rejected(again)).isEqualTo(new Rejected(meta, held));
        assertThat(slot(holder)).isEqualTo(held);
        assertThat(applied(holder.extend(ID, mark, next(), owner(mark), meta, timeout()))
                        .ownerHeld())
                .isTrue();
    }

    @Test
    public final void claimsNothingWhereTheMarkIsNotAsSeen() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored first = claim(coordinator, ID, null, meta);
        Stored free = applied(coordinator.release(ID, first, next(), owner(first), meta, timeout()))
                .written();

        CasResult expectsNone = coordinator.claim(ID, null, "limit=99", "token=x", false, meta, timeout());
        CasResult expectsOld = coordinator.claim(ID, first, "limit=99", "token=x", false, meta, timeout());
        CasResult expectsSome = coordinator.claim(8, first, "limit=99", "token=x", false, meta, timeout());

        assertThat(rejected(expectsNone)).isEqualTo(new Rejected(meta, new Slot(ID, free, null)));
        assertThat(rejected(expectsOld)).isEqualTo(new Rejected(meta, new Slot(ID, free, null)));
        assertThat(rejected(expectsSome)).isEqualTo(new Rejected(meta, new Slot(8, null, null)));
        assertThat(slot(coordinator)).isEqualTo(new Slot(ID, free, null));
    }

    @Test
    public final void comparesEveryCharacterNotOnlyTheLimit() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored old = applied(coordinator.claim(ID, null, "limit=100 token=a k=0", "token=a", false, meta, timeout()))
                .written();
        Stored moved = applied(coordinator.extend(ID, old, "limit=200 token=a k=1", "token=a", meta, timeout()))
                .written();
        Stored trimmed = applied(coordinator.release(ID, moved, "limit=100 token=b k=0", "token=a", meta, timeout()))
                .written();

        assertThat(rejected(coordinator.extend(ID, old, "limit=300 token=a k=1", "token=a", meta, timeout()))
                        .seen())
                .isEqualTo(new Slot(ID, trimmed, null));
        assertThat(coordinator.claim(ID, old, "limit=300 token=c k=0", "token=c", false, meta, timeout()))
                .isInstanceOf(Rejected.class);
        assertThat(coordinator.release(ID, old, "limit=300 token=a k=2", "token=a", meta, timeout()))
                .isInstanceOf(Rejected.class);
        assertThat(slot(coordinator)).isEqualTo(new Slot(ID, trimmed, null));
    }

    @Test
    public final void comparesMetaAtEveryWriteOfAMark() {
        WorkerCoordinator coordinator = open();
        Stored old = create(coordinator);
        Stored mark = claim(coordinator, ID, null, old);
        Stored retired = applied(coordinator.writeMeta(old, META + " state=retired", timeout()))
                .written();

        CasResult claim = coordinator.claim(8, null, "limit=9", "token=x", false, old, timeout());
        CasResult evict = coordinator.claim(ID, mark, "limit=9", "token=x", true, old, timeout());
        CasResult extend = coordinator.extend(ID, mark, "limit=9", owner(mark), old, timeout());
        CasResult release = coordinator.release(ID, mark, "limit=9", owner(mark), old, timeout());

        Slot unchanged = new Slot(ID, mark, owner(mark));
        assertThat(rejected(claim)).isEqualTo(new Rejected(retired, new Slot(8, null, null)));
        assertThat(rejected(evict)).isEqualTo(new Rejected(retired, unchanged));
        assertThat(rejected(extend)).isEqualTo(new Rejected(retired, unchanged));
        assertThat(rejected(release)).isEqualTo(new Rejected(retired, unchanged));
        assertThat(slot(coordinator)).isEqualTo(unchanged);
        assertThat(claimed(coordinator.read(8, 8, timeout()))).isEmpty();
    }

    /** A process that changes the record and then reads the marks sees all that was granted. What is written later grants nothing. */
    @Test
    public final void grantsNothingOnceTheRecordHasChanged() throws Exception {
        WorkerCoordinator holder = open();
        WorkerCoordinator operator = open();
        Stored meta = create(operator);
        Stored mark = claim(holder, ID, null, meta);
        String owner = owner(mark);

        for (int round = 0; round < 20; round++) {
            Stored begun = mark;
            Stored old = meta;
            String changed = META + " round=" + round;
            List<Stored> marks = together(2, actor -> {
                if (actor == 0) {
                    return extendUntilRejected(holder, begun, owner, old);
                }
                // Until the other one has begun, which may take a while if all processors are busy.
                long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
                while (mark(slot(operator)).equals(begun) && System.nanoTime() - deadline < 0) {
                    Thread.onSpinWait();
                }
                applied(operator.writeMeta(old, changed, timeout()));
                return mark(slot(operator));
            });

            assertThat(limit(marks.get(0)))
                    .as("the last grant, beside what was seen after the change")
                    .isLessThanOrEqualTo(limit(marks.get(1)));
            Snapshot now = operator.read(ID, ID, timeout());
            mark = mark(slot(now));
            meta = Objects.requireNonNull(now.meta());
            assertThat(meta.value()).isEqualTo(changed);
        }
    }

    /** @return what was granted last */
    private Stored extendUntilRejected(WorkerCoordinator holder, Stored mark, String owner, Stored meta) {
        Stored last = mark;
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (System.nanoTime() - deadline < 0) {
            if (!(holder.extend(ID, last, next(), owner, meta, timeout()) instanceof Applied applied)) {
                return last;
            }
            last = applied.written();
        }
        throw new AssertionError("never rejected");
    }

    @Test
    public final void oneOfManyClaimantsGetsAWorkerId() throws Exception {
        Stored meta = create(open());
        List<WorkerCoordinator> claimants = open(8);

        List<CasResult> results = together(
                8, i -> claimants.get(i).claim(ID, null, "limit=1 token=" + i, "token=" + i, false, meta, timeout()));

        List<Applied> winners = ofType(results, Applied.class);
        assertThat(winners).hasSize(1);
        Stored mark = winners.get(0).written();
        String owner = mark.value().substring("limit=1 ".length());
        assertThat(slot(open())).isEqualTo(new Slot(ID, mark, owner));
        assertThat(ofType(results, Rejected.class)).hasSize(7).allMatch(r -> new Slot(ID, mark, owner)
                .equals(r.seen()));
    }

    @Test
    public final void manyClaimantsGetDistinctWorkerIds() throws Exception {
        Stored meta = create(open());
        List<WorkerCoordinator> claimants = open(8);

        List<Integer> ids = together(8, i -> {
            for (int id = 0; id < 8; id++) {
                Slot slot = slot(claimants.get(i).read(id, id, timeout()));
                if (slot.owner() == null
                        && claimants.get(i).claim(id, slot.mark(), "token=" + i, "token=" + i, false, meta, timeout())
                                instanceof Applied) {
                    return id;
                }
            }
            return -1;
        });

        assertThat(ids).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
        List<Slot> slots = open().read(0, 7, timeout()).slots();
        for (int i = 0; i < 8; i++) {
            assertThat(slots.get(ids.get(i)).owner()).isEqualTo("token=" + i);
        }
    }

    @Test
    public final void losesNoUpdateUnderContention() throws Exception {
        Stored meta = create(open());
        List<WorkerCoordinator> writers = open(4);

        List<Integer> applied = together(4, i -> {
            int count = 0;
            for (int attempt = 0; attempt < 25; attempt++) {
                Stored seen = slot(writers.get(i)).mark();
                int counter = seen == null ? 0 : limit(seen);
                String next = "limit=" + (counter + 1) + " token=" + i + "-" + attempt;
                if (writers.get(i).claim(ID, seen, next, "token=" + i, true, meta, timeout()) instanceof Applied) {
                    count++;
                }
            }
            return count;
        });

        int total = applied.stream().mapToInt(Integer::intValue).sum();
        assertThat(total).isGreaterThan(24);
        assertThat(mark(slot(open())).value()).startsWith("limit=" + total + " ");
    }

    @Test
    public final void evictsAnOwnerWhenToldTo() {
        WorkerCoordinator former = open();
        WorkerCoordinator claimant = open();
        Stored meta = create(former);
        Stored old = claim(former, ID, null, meta);

        Applied result = applied(claimant.claim(ID, old, "limit=50 token=new", "token=new", true, meta, timeout()));

        Slot taken = slot(claimant);
        assertThat(taken.mark()).isEqualTo(result.written());
        assertThat(result.ownerHeld()).isEqualTo("token=new".equals(taken.owner()));
        assertThat(former.extend(ID, old, "limit=60 token=old", owner(old), meta, timeout()))
                .isInstanceOf(Rejected.class);
        assertThat(former.release(ID, old, "limit=60 token=old", owner(old), meta, timeout()))
                .isInstanceOf(Rejected.class);
        if (result.ownerHeld()) {
            former.abandon(ID, owner(old), timeout());
            assertThat(slot(claimant)).isEqualTo(taken);
        }
        Applied extended =
                applied(claimant.extend(ID, result.written(), "limit=70 token=new", "token=new", meta, timeout()));
        assertThat(extended.ownerHeld()).isEqualTo(result.ownerHeld());
    }

    // ---- extending

    @Test
    public final void extendsWhatItClaimed() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored mark = claim(coordinator, ID, null, meta);

        Applied result = applied(coordinator.extend(ID, mark, "limit=20 token=a k=1", owner(mark), meta, timeout()));

        assertThat(result.written().value()).isEqualTo("limit=20 token=a k=1");
        assertThat(result.ownerHeld()).isTrue();
        assertThat(slot(open())).isEqualTo(new Slot(ID, result.written(), owner(mark)));
    }

    @Test
    public final void extendsNothingElse() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored old = claim(coordinator, ID, null, meta);
        Stored mark = applied(coordinator.extend(ID, old, next(), owner(old), meta, timeout()))
                .written();

        Rejected result = rejected(coordinator.extend(ID, old, "limit=99", owner(old), meta, timeout()));

        assertThat(result).isEqualTo(new Rejected(meta, new Slot(ID, mark, owner(old))));
        assertThat(slot(coordinator)).isEqualTo(new Slot(ID, mark, owner(old)));
    }

    @Test
    public final void showsItsOwnWriteToAnExtensionSentAgain() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored old = claim(coordinator, ID, null, meta);
        Stored mark = applied(coordinator.extend(ID, old, "limit=20 k=1", owner(old), meta, timeout()))
                .written();

        Rejected result = rejected(coordinator.extend(ID, old, "limit=20 k=1", owner(old), meta, timeout()));

        assertThat(result.seen()).isEqualTo(new Slot(ID, mark, owner(old)));
    }

    @Test
    public final void extensionCreatesNoMark() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);

        Rejected result =
                rejected(coordinator.extend(ID, new Stored("limit=1", 0), "limit=2", "of none", meta, timeout()));

        assertThat(result).isEqualTo(new Rejected(meta, new Slot(ID, null, null)));
        assertThat(slot(coordinator)).isEqualTo(new Slot(ID, null, null));
    }

    @Test
    public final void extensionOfAnothersMarkRenewsNoOwner() {
        WorkerCoordinator holder = open();
        Stored meta = create(holder);
        Stored mark = claim(holder, ID, null, meta);

        Applied result = applied(open().extend(ID, mark, "limit=20", "of another", meta, timeout()));

        assertThat(result.ownerHeld()).isFalse();
        assertThat(slot(holder)).isEqualTo(new Slot(ID, result.written(), owner(mark)));
    }

    /** Claims count, not processes: this claim may be over, and its worker id claimed again. */
    @Test
    public final void whatIsDoneForAnotherOwnerLeavesTheOwnerAlone() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored mark = claim(coordinator, ID, null, meta);

        Applied extended = applied(coordinator.extend(ID, mark, next(), "of another", meta, timeout()));
        List<Extension> again = List.of(new Extension(ID, extended.written(), next(), "of another"));
        Applied extendedAgain =
                applied(coordinator.extendAll(again, meta, timeout()).get(0));
        Stored released = applied(
                        coordinator.release(ID, extendedAgain.written(), next(), "of another", meta, timeout()))
                .written();
        coordinator.abandon(ID, "of another", timeout());

        assertThat(extended.ownerHeld()).isFalse();
        assertThat(extendedAgain.ownerHeld()).isFalse();
        assertThat(slot(coordinator)).isEqualTo(new Slot(ID, released, owner(mark)));
        assertThat(applied(coordinator.extend(ID, released, next(), owner(mark), meta, timeout()))
                        .ownerHeld())
                .isTrue();
    }

    // ---- extending several at once

    @Test
    public final void extendsSeveralThatItClaimed() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        List<Extension> extensions = claimSeveral(coordinator, 3, meta);

        List<CasResult> results = coordinator.extendAll(extensions, meta, timeout());

        requireExtended(extensions, results);
        List<Slot> seen = open().read(ID, ID + 2, timeout()).slots();
        for (int i = 0; i < 3; i++) {
            Extension each = extensions.get(i);
            assertThat(seen.get(i)).isEqualTo(new Slot(each.id(), written(results.get(i)), each.owner()));
        }
    }

    @Test
    public final void extendsOneOrNoneAsItExtendsSeveral() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        List<Extension> one = claimSeveral(coordinator, 1, meta);

        List<CasResult> none = coordinator.extendAll(List.of(), meta, timeout());
        List<CasResult> first = coordinator.extendAll(one, meta, timeout());
        List<CasResult> again = coordinator.extendAll(one, meta, timeout());

        assertThat(none).isEmpty();
        requireExtended(one, first);
        Slot seen = new Slot(ID, written(first.get(0)), one.get(0).owner());
        assertThat(again).containsExactly(new Rejected(meta, seen));
        assertThat(slot(coordinator)).isEqualTo(seen);
    }

    @Test
    public final void extendsAsManyAsOneGeneratorMayHave() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        List<Extension> extensions = claimSeveral(coordinator, 64, meta);

        List<CasResult> results = coordinator.extendAll(extensions, meta, timeout());
        List<CasResult> again = coordinator.extendAll(extensions, meta, timeout());

        requireExtended(extensions, results);
        List<CasResult> seen = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            Extension each = extensions.get(i);
            seen.add(new Rejected(meta, new Slot(each.id(), written(results.get(i)), each.owner())));
        }
        assertThat(again).isEqualTo(seen);
    }

    @Test
    public final void extendsMoreThanFitOneTransaction() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        List<Extension> extensions = claimSeveral(coordinator, 300, meta);

        // That may be as many requests, on a busy machine.
        List<CasResult> results = coordinator.extendAll(extensions, meta, Duration.ofMinutes(5));

        requireExtended(extensions, results);
        assertThat(marks(coordinator.read(ID, ID + 299, timeout())))
                .isEqualTo(
                        results.stream().map(WorkerCoordinatorContract::written).toList());
    }

    @Test
    public final void aMarkThatIsNotAsExpectedCostsTheOthersNothing() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        List<Extension> extensions = claimSeveral(coordinator, 3, meta);
        Extension moved = extensions.get(1);
        Stored foreign = applied(open().extend(moved.id(), moved.mark(), next(), "of another", meta, timeout()))
                .written();

        List<CasResult> results = coordinator.extendAll(extensions, meta, timeout());

        assertThat(results).hasSize(3);
        assertThat(results.get(1)).isEqualTo(new Rejected(meta, new Slot(moved.id(), foreign, moved.owner())));
        for (int i : new int[] {0, 2}) {
            Extension each = extensions.get(i);
            Slot slot = slot(coordinator.read(each.id(), each.id(), timeout()));
            if (results.get(i) instanceof Applied applied) {
                assertThat(slot).isEqualTo(new Slot(each.id(), applied.written(), each.owner()));
            } else {
                assertThat(slot).isEqualTo(new Slot(each.id(), each.mark(), each.owner()));
                assertThat(results.get(i)).isEqualTo(new Rejected(meta, slot));
            }
            assertThat(applied(coordinator.extend(each.id(), mark(slot), next(), each.owner(), meta, timeout()))
                            .ownerHeld())
                    .isTrue();
        }
        assertThat(slot(coordinator.read(moved.id(), moved.id(), timeout())).mark())
                .isEqualTo(foreign);
    }

    @Test
    public final void comparesMetaWhereSeveralAreExtended() {
        WorkerCoordinator coordinator = open();
        Stored old = create(coordinator);
        List<Extension> extensions = claimSeveral(coordinator, 3, old);
        Stored retired = applied(open().writeMeta(old, META + " state=retired", timeout()))
                .written();

        List<CasResult> results = coordinator.extendAll(extensions, old, timeout());

        List<Slot> unchanged = extensions.stream()
                .map(each -> new Slot(each.id(), each.mark(), each.owner()))
                .toList();
        assertThat(results)
                .isEqualTo(unchanged.stream()
                        .map(slot -> new Rejected(retired, slot))
                        .toList());
        assertThat(coordinator.read(ID, ID + 2, timeout()).slots()).isEqualTo(unchanged);
    }

    @Test
    public final void extendsSeveralWithoutRenewingTheOwnersOfAnother() {
        WorkerCoordinator coordinator = open();
        WorkerCoordinator other = open();
        Stored meta = create(coordinator);
        Stored mine = claim(coordinator, ID, null, meta);
        Stored others = claim(other, 8, null, meta);
        List<Extension> extensions =
                List.of(new Extension(8, others, next(), "of another"), new Extension(ID, mine, next(), owner(mine)));

        List<CasResult> results = coordinator.extendAll(extensions, meta, timeout());

        assertThat(applied(results.get(0)).ownerHeld()).isFalse();
        assertThat(applied(results.get(1)).ownerHeld()).isTrue();
        Stored moved = written(results.get(0));
        assertThat(applied(other.extend(8, moved, next(), owner(others), meta, timeout()))
                        .ownerHeld())
                .isTrue();
    }

    @Test
    public final void ownersLiveAsLongAsTheyAreExtendedTogether() throws Exception {
        WorkerCoordinator coordinator = openBriefly();
        Stored meta = create(coordinator);

        unlessHeldUp((id, stopwatch) -> {
            List<Integer> ids = List.of(id, id + 100, id + 200);
            List<Extension> extensions = new ArrayList<>();
            ids.forEach(each -> extensions.add(claimToExtend(coordinator, each, meta)));
            List<String> owners = extensions.stream().map(Extension::owner).toList();
            for (int i = 0; i < 6; i++) {
                fixture.pass(brief().dividedBy(3));
                assertThat(ids.stream().map(each -> slot(coordinator.read(each, each, timeout()))
                                .owner()))
                        .isEqualTo(owners);
                List<CasResult> results =
                        stopwatch.startAgainWith(() -> coordinator.extendAll(List.copyOf(extensions), meta, timeout()));
                requireExtended(extensions, results);
                for (int j = 0; j < ids.size(); j++) {
                    extensions.set(j, new Extension(ids.get(j), written(results.get(j)), next(), owners.get(j)));
                }
            }
        });
    }

    @Test
    public final void extensionsWhoseAnswersWereLostFindThemselves() throws Exception {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        List<Extension> extensions = claimSeveral(coordinator, 3, meta);

        for (int round = 0; round < 4; round++) {
            fixture.disconnect(namespace);
            List<CasResult> results = attemptAll(coordinator, extensions, meta);
            fixture.reconnect(namespace);
            List<Stored> seen = marks(readOnce(coordinator, ID, ID + 2));

            // Rejected by their own writes: they were sent twice.
            assertThat(ofType(results, Rejected.class)).isEmpty();
            List<Extension> next = new ArrayList<>();
            List<CasResult> again = coordinator.extendAll(extensions, meta, timeout());
            for (int i = 0; i < 3; i++) {
                Extension each = extensions.get(i);
                assertThat(seen.get(i).value())
                        .isIn(
                                results.isEmpty()
                                        ? List.of(each.mark().value())
                                        : List.of(each.mark().value(), each.next()));
                Stored mark = settle(coordinator, each, again.get(i), meta);
                assertThat(mark.value()).isEqualTo(each.next());
                next.add(new Extension(each.id(), mark, next(), each.owner()));
            }
            extensions = next;
        }
        requireExtended(extensions, coordinator.extendAll(extensions, meta, timeout()));
    }

    /** Sends the same bytes until they are there, as core does. */
    private Stored settle(WorkerCoordinator coordinator, Extension extension, CasResult answer, Stored meta) {
        CasResult last = answer;
        for (int attempt = 0; attempt < 3; attempt++) {
            if (last instanceof Applied applied) {
                return applied.written();
            }
            Slot slot = rejected(last).seen();
            Stored seen = mark(slot == null ? new Slot(extension.id(), null, null) : slot);
            if (seen.value().equals(extension.next())) {
                return seen;
            }
            assertThat(seen).isEqualTo(extension.mark());
            last = coordinator.extend(extension.id(), seen, extension.next(), extension.owner(), meta, timeout());
        }
        return applied(last).written();
    }

    /** During an outage; empty if the coordinator knows that nothing changed. */
    private List<CasResult> attemptAll(WorkerCoordinator coordinator, List<Extension> extensions, Stored meta) {
        try {
            List<CasResult> results = coordinator.extendAll(extensions, meta, fixture.unit());
            assertThat(results).hasSize(extensions.size());
            return results;
        } catch (CoordinatorException e) {
            assertThat(e.permanent()).isFalse();
            return List.of();
        }
    }

    @Test
    public final void anInterruptEndsTheExtensionOfSeveralAndKeepsTheFlag() throws Exception {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        List<Extension> extensions = claimSeveral(coordinator, 3, meta);
        fixture.disconnect(namespace);

        List<CasResult> results = interrupted(() -> coordinator.extendAll(extensions, meta, Duration.ofMinutes(1)));
        fixture.reconnect(namespace);

        assertThat(results).hasSize(3).allMatch(Unknown.class::isInstance);
        List<Stored> seen = marks(readOnce(coordinator, ID, ID + 2));
        for (int i = 0; i < 3; i++) {
            Extension each = extensions.get(i);
            assertThat(seen.get(i).value()).isIn(each.mark().value(), each.next());
            CasResult result =
                    coordinator.extend(each.id(), seen.get(i), each.next() + " again", each.owner(), meta, timeout());
            assertThat(result).isInstanceOfAny(Applied.class, Rejected.class);
        }
    }

    private List<Extension> claimSeveral(WorkerCoordinator coordinator, int count, Stored meta) {
        return IntStream.range(ID, ID + count)
                .mapToObj(id -> claimToExtend(coordinator, id, meta))
                .toList();
    }

    private Extension claimToExtend(WorkerCoordinator coordinator, int id, Stored meta) {
        Stored mark = claim(coordinator, id, null, meta);
        return new Extension(id, mark, next(), owner(mark));
    }

    private static void requireExtended(List<Extension> extensions, List<CasResult> results) {
        assertThat(results).hasSameSizeAs(extensions);
        for (int i = 0; i < results.size(); i++) {
            Applied applied = applied(results.get(i));
            assertThat(applied.written().value()).isEqualTo(extensions.get(i).next());
            assertThat(applied.ownerHeld()).isTrue();
        }
    }

    private static Stored written(CasResult result) {
        return applied(result).written();
    }

    private static List<Stored> marks(Snapshot snapshot) {
        return snapshot.slots().stream().map(WorkerCoordinatorContract::mark).toList();
    }

    // ---- the owner's time to live

    @Test
    public final void anOwnerLivesAsLongAsItIsExtended() throws Exception {
        WorkerCoordinator coordinator = openBriefly();
        Stored meta = create(coordinator);

        unlessHeldUp((id, stopwatch) -> {
            Stored mark = claim(coordinator, id, null, meta);
            String owner = owner(mark);
            for (int i = 0; i < 6; i++) {
                fixture.pass(brief().dividedBy(3));
                assertThat(slot(coordinator.read(id, id, timeout())).owner()).isEqualTo(owner);
                Stored before = mark;
                Applied result = applied(
                        stopwatch.startAgainWith(() -> coordinator.extend(id, before, next(), owner, meta, timeout())));
                assertThat(result.ownerHeld()).isTrue();
                mark = result.written();
            }
        });
    }

    @Test
    public final void anOwnerVanishesWhenItIsNotExtended() {
        WorkerCoordinator coordinator = openBriefly();
        Stored meta = create(coordinator);
        Stored mark = claim(coordinator, ID, null, meta);

        boolean vanished = fixture.comesTrue(patience(), () -> slot(coordinator).owner() == null);

        assertThat(vanished).as("owner vanished").isTrue();
        assertThat(slot(coordinator).mark()).isEqualTo(mark);
    }

    @Test
    public final void whatFailsRenewsNothing() {
        WorkerCoordinator coordinator = openBriefly();
        Stored meta = create(coordinator);
        Stored old = claim(coordinator, ID, null, meta);
        applied(coordinator.extend(ID, old, next(), owner(old), meta, timeout()));

        boolean vanished = fixture.comesTrue(patience(), () -> {
            assertThat(coordinator.extend(ID, old, next(), owner(old), meta, timeout()))
                    .isInstanceOf(Rejected.class);
            assertThat(coordinator.claim(ID, old, next(), "token=x", false, meta, timeout()))
                    .isInstanceOf(Rejected.class);
            assertThat(coordinator.release(ID, old, next(), owner(old), meta, timeout()))
                    .isInstanceOf(Rejected.class);
            return slot(coordinator).owner() == null;
        });

        assertThat(vanished).as("owner vanished").isTrue();
    }

    @Test
    public final void anExtensionForAnotherOwnerRenewsNothing() {
        WorkerCoordinator coordinator = openBriefly();
        Stored meta = create(coordinator);
        claim(coordinator, ID, null, meta);

        boolean vanished = fixture.comesTrue(patience(), () -> {
            Slot seen = slot(coordinator);
            applied(coordinator.extend(ID, mark(seen), next(), "of another", meta, timeout()));
            return seen.owner() == null;
        });

        assertThat(vanished).as("owner vanished").isTrue();
    }

    @Test
    public final void extensionNeverCreatesAnOwner() {
        WorkerCoordinator coordinator = openBriefly();
        Stored meta = create(coordinator);
        Stored mark = claim(coordinator, ID, null, meta);
        requireVanished(coordinator, ID);

        Applied result = applied(coordinator.extend(ID, mark, "limit=20", owner(mark), meta, timeout()));

        assertThat(result.ownerHeld()).isFalse();
        assertThat(slot(coordinator)).isEqualTo(new Slot(ID, result.written(), null));
    }

    @Test
    public final void ownsAgainInPlaceAfterItsOwnerVanished() throws Exception {
        WorkerCoordinator coordinator = openBriefly();
        Stored meta = create(coordinator);

        unlessHeldUp((id, stopwatch) -> {
            Stored mark = claim(coordinator, id, null, meta);
            String owner = owner(mark);
            requireVanished(coordinator, id);

            stopwatch.startAgain();
            Applied again = applied(coordinator.claim(id, mark, next(), owner, false, meta, timeout()));
            Applied extended = applied(coordinator.extend(id, again.written(), next(), owner, meta, timeout()));

            assertThat(again.ownerHeld()).isTrue();
            assertThat(extended.ownerHeld()).isTrue();
            assertThat(slot(coordinator.read(id, id, timeout()))).isEqualTo(new Slot(id, extended.written(), owner));
        });
    }

    @Test
    public final void aCrashedHoldersWorkerIdIsFreeAfterItsTimeToLiveAndItsMarkStays() throws Exception {
        WorkerCoordinator holder = openBriefly();
        WorkerCoordinator other = open();
        Stored meta = create(other);
        Stored mark = claim(holder, ID, null, meta);

        crashNow(holder);
        boolean vanished = fixture.comesTrue(patience(), () -> slot(other).owner() == null);

        assertThat(vanished).as("owner vanished").isTrue();
        assertThat(slot(other).mark()).isEqualTo(mark);
        assertThat(applied(other.claim(ID, mark, "limit=20", "token=other", false, meta, timeout()))
                        .ownerHeld())
                .isTrue();
    }

    @Test
    public final void aFormerHolderChangesNothing() {
        WorkerCoordinator former = openBriefly();
        WorkerCoordinator holder = open();
        Stored meta = create(former);
        Stored old = claim(former, ID, null, meta);
        requireVanished(holder, ID);
        Stored mark = claim(holder, ID, old, meta);

        CasResult extend = former.extend(ID, old, "limit=99", owner(old), meta, timeout());
        CasResult release = former.release(ID, old, "limit=99", owner(old), meta, timeout());
        former.abandon(ID, owner(old), timeout());
        close(former);

        Slot held = new Slot(ID, mark, owner(mark));
        assertThat(rejected(extend).seen()).isEqualTo(held);
        assertThat(rejected(release).seen()).isEqualTo(held);
        assertThat(slot(holder)).isEqualTo(held);
        assertThat(applied(holder.extend(ID, mark, "limit=30", owner(mark), meta, timeout()))
                        .ownerHeld())
                .isTrue();
    }

    // ---- giving back

    @Test
    public final void aReleasedWorkerIdIsFreeAtOnce() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored mark = claim(coordinator, ID, null, meta);

        Stored free = applied(coordinator.release(ID, mark, "limit=5 token=free", owner(mark), meta, timeout()))
                .written();

        assertThat(free.value()).isEqualTo("limit=5 token=free");
        assertThat(slot(open())).isEqualTo(new Slot(ID, free, null));
        assertThat(applied(open().claim(ID, free, "limit=9", "token=b", false, meta, timeout()))
                        .ownerHeld())
                .isTrue();
    }

    @Test
    public final void aRejectedReleaseChangesNothing() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored old = claim(coordinator, ID, null, meta);
        Stored mark = applied(coordinator.extend(ID, old, next(), owner(old), meta, timeout()))
                .written();

        CasResult result = coordinator.release(ID, old, "limit=99", owner(old), meta, timeout());

        assertThat(rejected(result)).isEqualTo(new Rejected(meta, new Slot(ID, mark, owner(old))));
        assertThat(applied(coordinator.extend(ID, mark, next(), owner(old), meta, timeout()))
                        .ownerHeld())
                .isTrue();
    }

    @Test
    public final void releaseLeavesAForeignOwnerAlone() {
        WorkerCoordinator holder = open();
        Stored meta = create(holder);
        Stored mark = claim(holder, ID, null, meta);

        Stored written = applied(open().release(ID, mark, "limit=20", "of another", meta, timeout()))
                .written();

        assertThat(slot(holder)).isEqualTo(new Slot(ID, written, owner(mark)));
        assertThat(applied(holder.extend(ID, written, next(), owner(mark), meta, timeout()))
                        .ownerHeld())
                .isTrue();
    }

    @Test
    public final void releasingOneWorkerIdLeavesTheOthersOfTheSameProcess() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored mark = claim(coordinator, ID, null, meta);
        Stored other = claim(coordinator, 8, null, meta);

        applied(coordinator.release(ID, mark, next(), owner(mark), meta, timeout()));

        assertThat(slot(coordinator.read(8, 8, timeout()))).isEqualTo(new Slot(8, other, owner(other)));
        assertThat(applied(coordinator.extend(8, other, next(), owner(other), meta, timeout()))
                        .ownerHeld())
                .isTrue();
    }

    @Test
    public final void abandonsItsOwnerAndLeavesTheMark() {
        WorkerCoordinator coordinator = openBriefly();
        Stored meta = create(coordinator);
        Stored mark = claim(coordinator, ID, null, meta);
        Stored other = claim(coordinator, 8, null, meta);

        coordinator.abandon(ID, owner(mark), timeout());

        requireVanished(coordinator, ID);
        assertThat(slot(coordinator).mark()).isEqualTo(mark);
        assertThat(slot(coordinator.read(8, 8, timeout())).mark()).isEqualTo(other);
    }

    @Test
    public final void abandoningOneWorkerIdLeavesTheOthersOfTheSameProcess() {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored mark = claim(coordinator, ID, null, meta);
        Stored other = claim(coordinator, 8, null, meta);

        coordinator.abandon(ID, owner(mark), timeout());

        Applied extended = applied(coordinator.extend(8, other, next(), owner(other), meta, timeout()));
        assertThat(extended.ownerHeld()).isTrue();
        assertThat(slot(coordinator.read(8, 8, timeout())).owner()).isEqualTo(owner(other));
    }

    @Test
    public final void claimsAgainAfterAbandoning() throws Exception {
        WorkerCoordinator coordinator = openBriefly();
        Stored meta = create(coordinator);

        unlessHeldUp((id, stopwatch) -> {
            Stored mark = claim(coordinator, id, null, meta);
            coordinator.abandon(id, owner(mark), timeout());
            coordinator.abandon(id, owner(mark), timeout());
            coordinator.abandon(id + 100, "of none", timeout());
            requireVanished(coordinator, id);

            stopwatch.startAgain();
            Applied again = applied(coordinator.claim(id, mark, next(), "token=b", false, meta, timeout()));

            assertThat(applied(coordinator.extend(id, again.written(), next(), "token=b", meta, timeout()))
                            .ownerHeld())
                    .isTrue();
        });
    }

    @Test
    public final void closingReleasesNoMarkAndLeavesOthersAlone() {
        WorkerCoordinator leaving = open();
        WorkerCoordinator staying = open();
        Stored meta = create(leaving);
        Stored left = claim(leaving, 8, null, meta);
        Stored mark = claim(staying, ID, null, meta);

        close(leaving);
        leaving.close();

        assertThat(slot(staying.read(8, 8, timeout())).mark()).isEqualTo(left);
        assertThat(slot(staying)).isEqualTo(new Slot(ID, mark, owner(mark)));
        assertThat(applied(staying.extend(ID, mark, next(), owner(mark), meta, timeout()))
                        .ownerHeld())
                .isTrue();
    }

    // ---- outages

    @Test
    public final void saysInTimeThatTheServerIsAway() throws Exception {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored mark = claim(coordinator, ID, null, meta);
        Duration briefly = fixture.unit();

        fixture.disconnect(namespace);

        requireInTime(() -> requireNoAnswer(coordinator, briefly));
        requireInTime(() -> attempt(() -> coordinator.writeMeta(meta, META + " floor=1", briefly)));
        requireInTime(() -> attempt(() -> coordinator.claim(8, null, "limit=1", "token=x", false, meta, briefly)));
        requireInTime(() -> attempt(() -> coordinator.extend(ID, mark, "limit=99", owner(mark), meta, briefly)));
        List<Extension> several = IntStream.range(ID, ID + 64)
                .mapToObj(id -> new Extension(id, mark, "limit=99", owner(mark)))
                .toList();
        requireInTime(() ->
                attempt(() -> coordinator.extendAll(several, meta, briefly).get(0)));
        requireInTime(() -> attempt(() -> coordinator.release(ID, mark, "limit=99", owner(mark), meta, briefly)));
        requireInTime(() -> coordinator.abandon(ID, owner(mark), briefly));
    }

    /** The first call of each is what makes the connection. */
    @Test
    public final void saysInTimeThatNoConnectionCanBeMade() throws Exception {
        WorkerCoordinator before = open();
        Stored meta = create(before);
        Stored mark = claim(before, ID, null, meta);
        Duration briefly = fixture.unit();
        // Others would share its connection.
        close(before);

        fixture.disconnect(namespace);

        requireInTime(() -> requireNoAnswer(open(), briefly));
        requireInTime(() -> attempt(() -> open().claim(8, null, "limit=1", "token=x", false, meta, briefly)));
        requireInTime(() -> attempt(() -> open().extend(ID, mark, "limit=99", owner(mark), meta, briefly)));
    }

    private static void requireNoAnswer(WorkerCoordinator coordinator, Duration timeout) {
        assertThatThrownBy(() -> coordinator.read(ID, ID, timeout))
                .isInstanceOfSatisfying(CoordinatorException.class, e -> assertThat(e.permanent())
                        .isFalse());
    }

    /** A call ends within about a timeout of one unit. */
    private void requireInTime(ThrowingCallable call) {
        Stopwatch.requireWithin(fixture.unit().multipliedBy(2).plusSeconds(1), () -> {
            long start = fixture.platform().nanoTime();
            assertThatCode(call).doesNotThrowAnyException();
            return Duration.ofNanos(fixture.platform().nanoTime() - start);
        });
    }

    @Test
    public final void worksAgainAfterAnOutage() throws Exception {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored mark = claim(coordinator, ID, null, meta);

        fixture.disconnect(namespace);
        assertThatThrownBy(() -> coordinator.read(ID, ID, fixture.unit())).isInstanceOf(CoordinatorException.class);
        fixture.reconnect(namespace);

        assertThat(slot(readOnce(coordinator, ID, ID)).mark()).isEqualTo(mark);
        assertThat(coordinator.extend(ID, mark, "limit=20", owner(mark), meta, timeout()))
                .isInstanceOf(Applied.class);
    }

    @Test
    public final void sendsAWriteOnceAndDoesNotHideWhatItCantKnow() throws Exception {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored mark = claim(coordinator, ID, null, meta);
        String owner = owner(mark);

        for (int round = 0; round < 4; round++) {
            String next = next();
            Stored expected = mark;
            fixture.disconnect(namespace);
            CasResult result = attempt(() -> coordinator.extend(ID, expected, next, owner, meta, fixture.unit()));
            fixture.reconnect(namespace);
            Stored seen = mark(slot(readOnce(coordinator, ID, ID)));

            // Rejected by its own write: it was sent twice.
            assertThat(result instanceof Rejected).as("rejected").isFalse();
            assertThat(seen.value())
                    .isIn(certainlyUnchanged(result) ? List.of(mark.value()) : List.of(mark.value(), next));
            mark = seen;
            mark = extendWhereverItIs(coordinator, mark, owner, meta).written();
        }
    }

    @Test
    public final void aClaimOfUnknownOutcomeIsWholeOrNothing() throws Exception {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        readOnce(coordinator, ID, ID);

        fixture.disconnect(namespace);
        CasResult result =
                attempt(() -> coordinator.claim(ID, null, "limit=1 token=a", "token=a", false, meta, fixture.unit()));
        fixture.reconnect(namespace);
        Slot seen = slot(readOnce(coordinator, ID, ID));

        assertThat(result instanceof Rejected).as("rejected").isFalse();
        if (certainlyUnchanged(result)) {
            assertThat(seen).isEqualTo(new Slot(ID, null, null));
        }
        assertThat(seen.owner() == null || "token=a".equals(seen.owner())).isTrue();
        assertThat(seen.mark() == null).as("neither mark nor owner").isEqualTo(seen.owner() == null);
    }

    @Test
    public final void anAbandonedClaimBlocksOthersOnlyBriefly() throws Exception {
        WorkerCoordinator coordinator = openBriefly();
        WorkerCoordinator other = open();
        Stored meta = create(coordinator);
        readOnce(other, ID, ID);

        fixture.disconnect(namespace);
        attempt(() -> coordinator.claim(ID, null, "limit=1 token=a", "token=a", false, meta, fixture.unit()));
        coordinator.abandon(ID, "token=a", fixture.unit());
        fixture.reconnect(namespace);

        // The first claim may arrive even after a read that found the slot free.
        assertThat(fixture.comesTrue(patience(), () -> {
                    Slot seen = slot(readOnce(other, ID, ID));
                    // One of its own may have been applied though its answer was lost.
                    return "token=b".equals(seen.owner())
                            || (seen.owner() == null
                                    && other.claim(ID, seen.mark(), "limit=20", "token=b", false, meta, timeout())
                                            instanceof Applied);
                }))
                .as("claimed by another")
                .isTrue();
    }

    // ---- interrupts

    @Test
    public final void anInterruptEndsACallAndKeepsTheFlag() throws Exception {
        WorkerCoordinator coordinator = open();
        Stored meta = create(coordinator);
        Stored mark = claim(coordinator, ID, null, meta);
        fixture.disconnect(namespace);

        Map<String, Object> seen = interrupted(() -> {
            Map<String, Object> results = new HashMap<>();
            results.put("extend", coordinator.extend(ID, mark, "limit=99", owner(mark), meta, Duration.ofMinutes(1)));
            results.put("flag after extend", Thread.currentThread().isInterrupted());
            results.put("claim", coordinator.claim(8, null, "l", "o", false, meta, Duration.ofMinutes(1)));
            results.put("flag after claim", Thread.currentThread().isInterrupted());
            assertThatThrownBy(() -> coordinator.read(ID, ID, Duration.ofMinutes(1)))
                    .isInstanceOf(CoordinatorException.class);
            coordinator.abandon(ID, owner(mark), Duration.ofMinutes(1));
            results.put("flag at the end", Thread.currentThread().isInterrupted());
            return results;
        });

        assertThat(seen.get("extend")).isInstanceOf(Unknown.class);
        assertThat(seen.get("claim")).isInstanceOf(Unknown.class);
        assertThat(seen)
                .containsEntry("flag after extend", true)
                .containsEntry("flag after claim", true)
                .containsEntry("flag at the end", true);
    }

    @Test
    public final void anInterruptHarmsNeitherTheCoordinatorNorWhatItHolds() throws Exception {
        WorkerCoordinator coordinator = open();
        WorkerCoordinator neighbour = open();
        Stored meta = create(coordinator);
        Stored mark = claim(coordinator, ID, null, meta);
        Stored other = claim(neighbour, 8, null, meta);

        CasResult result =
                interrupted(() -> coordinator.extend(ID, mark, "limit=20 k=1", owner(mark), meta, timeout()));

        assertThat(result).isInstanceOfAny(Applied.class, Unknown.class);
        Stored now = mark(slot(readOnce(coordinator, ID, ID)));
        assertThat(now.value()).isIn(mark.value(), "limit=20 k=1");
        assertThat(extendWhereverItIs(coordinator, now, owner(mark), meta).ownerHeld())
                .isTrue();
        assertThat(applied(neighbour.extend(8, other, next(), owner(other), meta, timeout()))
                        .ownerHeld())
                .isTrue();
    }

    // ---- the words of the tests above

    /** Its owners outlive each test, however slow the machine is. */
    private WorkerCoordinator open() {
        return open(namespace);
    }

    private WorkerCoordinator open(String name) {
        return open(name, Duration.ofMinutes(5));
    }

    /** Its owners vanish soon. */
    private WorkerCoordinator openBriefly() {
        return open(namespace, brief());
    }

    private WorkerCoordinator open(String name, Duration timeToLive) {
        Map<String, String> settings = fixture.settings();
        WorkerCoordinator coordinator =
                fixture.provider().open(new CoordinatorConfig("tck", name, timeToLive, settings::get), () -> {});
        open.add(coordinator);
        return coordinator;
    }

    private List<WorkerCoordinator> open(int count) {
        return IntStream.range(0, count).mapToObj(i -> open()).toList();
    }

    private void close(WorkerCoordinator coordinator) {
        open.remove(coordinator);
        coordinator.close();
    }

    private void crashNow(WorkerCoordinator coordinator) throws Exception {
        open.remove(coordinator);
        fixture.crash(coordinator);
    }

    /** The time to live of owners that are to vanish. */
    private Duration brief() {
        return fixture.unit().multipliedBy(3);
    }

    /** How long tests wait for something that must happen: far longer than it takes, since machines are slow at times. */
    private Duration patience() {
        Duration patience = fixture.unit().multipliedBy(30);
        Duration least = Duration.ofSeconds(30);
        return patience.compareTo(least) < 0 ? least : patience;
    }

    private void requireVanished(WorkerCoordinator coordinator, int id) {
        assertThat(fixture.comesTrue(
                        patience(),
                        () -> slot(coordinator.read(id, id, timeout())).owner() == null))
                .as("owner vanished")
                .isTrue();
    }

    private interface Owning {
        void with(int id, Stopwatch stopwatch);
    }

    /** Tries what needs an owner with a brief time to live; again with another worker id, if that owner may rightly have expired. */
    private void unlessHeldUp(Owning attempt) throws Exception {
        // By a clock that tells whole units an owner may expire up to one sooner.
        Duration certain = brief().minus(fixture.unit());
        Stopwatch.unlessHeldUp(
                fixture.platform()::nanoTime, certain, (number, stopwatch) -> attempt.with(ID + number, stopwatch));
    }

    /** For calls that are expected to succeed; generous, since machines are slow at times. */
    private static Duration timeout() {
        return Duration.ofSeconds(30);
    }

    private Stored create(WorkerCoordinator coordinator) {
        return applied(coordinator.writeMeta(null, META, timeout())).written();
    }

    private Stored claim(WorkerCoordinator coordinator, int id, @Nullable Stored mark, Stored meta) {
        String token = next();
        Applied result = applied(coordinator.claim(id, mark, token, "of " + token, false, meta, timeout()));
        assertThat(result.ownerHeld()).isTrue();
        assertThat(result.written().value()).isEqualTo(token);
        return result.written();
    }

    /** The owner that {@link #claim} wrote with this mark. */
    private static String owner(Stored mark) {
        return "of " + mark.value();
    }

    /** A mark that was never written before. */
    private String next() {
        written++;
        return "limit=" + written + " token=" + UUID.randomUUID() + " k=0";
    }

    private static int limit(Stored mark) {
        return Integer.parseInt(
                mark.value().substring("limit=".length(), mark.value().indexOf(' ')));
    }

    private Slot slot(WorkerCoordinator coordinator) {
        return slot(coordinator.read(ID, ID, timeout()));
    }

    private static Slot slot(Snapshot snapshot) {
        assertThat(snapshot.slots()).hasSize(1);
        return snapshot.slots().get(0);
    }

    private static Stored mark(Slot slot) {
        Stored mark = slot.mark();
        if (mark == null) {
            throw new AssertionError("no mark: " + slot);
        }
        return mark;
    }

    private static List<Integer> ids(Snapshot snapshot) {
        return snapshot.slots().stream().map(Slot::workerId).toList();
    }

    private static List<Integer> claimed(Snapshot snapshot) {
        return snapshot.slots().stream()
                .filter(slot -> slot.mark() != null)
                .map(Slot::workerId)
                .toList();
    }

    private static Applied applied(CasResult result) {
        assertThat(result).isInstanceOf(Applied.class);
        return (Applied) result;
    }

    private static Rejected rejected(CasResult result) {
        assertThat(result).isInstanceOf(Rejected.class);
        return (Rejected) result;
    }

    private static <T> List<T> ofType(List<?> results, Class<T> type) {
        return results.stream().filter(type::isInstance).map(type::cast).toList();
    }

    /** A write during an outage; null if the coordinator knows that nothing changed. */
    private static @Nullable CasResult attempt(Callable<CasResult> write) throws Exception {
        try {
            CasResult result = write.call();
            assertThat(result).isInstanceOfAny(Unknown.class, Rejected.class);
            return result;
        } catch (CoordinatorException e) {
            assertThat(e.permanent()).isFalse();
            return null;
        }
    }

    private static boolean certainlyUnchanged(@Nullable CasResult result) {
        return result == null;
    }

    /**
     * Extends after one write of unknown outcome. Held up on its way, that one may arrive even after a read, and then
     * the first of these is rejected and shows it.
     */
    private Applied extendWhereverItIs(WorkerCoordinator coordinator, Stored mark, String owner, Stored meta) {
        CasResult result = coordinator.extend(ID, mark, next(), owner, meta, timeout());
        if (result instanceof Rejected rejected && rejected.seen() != null) {
            result = coordinator.extend(ID, mark(rejected.seen()), next(), owner, meta, timeout());
        }
        return applied(result);
    }

    /** The first successful read after an outage, from which clients recover at their own pace. */
    private Snapshot readOnce(WorkerCoordinator coordinator, int fromId, int toId) {
        CoordinatorException last = new CoordinatorException("never read", false);
        for (int i = 0; i < 20; i++) {
            try {
                return coordinator.read(fromId, toId, timeout());
            } catch (CoordinatorException e) {
                last = e;
                fixture.pass(fixture.unit());
            }
        }
        throw last;
    }

    private interface Act<T> {
        T by(int actor) throws Exception;
    }

    /** Lets several threads act at the same moment. */
    private static <T> List<T> together(int actors, Act<T> act) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(actors);
        try {
            CyclicBarrier start = new CyclicBarrier(actors);
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < actors; i++) {
                int actor = i;
                futures.add(threads.submit(() -> {
                    start.await();
                    return act.by(actor);
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    /** Calls in a thread of its own that is interrupted from the start, and waits for the end of it. */
    private static <T> T interrupted(Callable<T> call) throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<T> future = thread.submit(() -> {
                Thread.currentThread().interrupt();
                T result = call.call();
                assertThat(Thread.currentThread().isInterrupted())
                        .as("interrupt flag")
                        .isTrue();
                return result;
            });
            return future.get(50, TimeUnit.SECONDS);
        } finally {
            assertThatCode(thread::shutdownNow).doesNotThrowAnyException();
        }
    }
}
