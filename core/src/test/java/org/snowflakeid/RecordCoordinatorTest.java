// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CasResult.Applied;
import org.snowflakeid.spi.CasResult.Rejected;
import org.snowflakeid.spi.CasResult.Unknown;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordCoordinator;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator.Extension;

/** Rule 19, request by request: what happens between the requests of one call. */
class RecordCoordinatorTest {

    private static final Duration CALL = Duration.ofSeconds(1);
    private static final Stored META = new Stored("id=1 state=active", 0);
    private static final String OWNER = "token=a";

    private final Records records = new Records();
    private final RecordCoordinator coordinator = coordinator();

    private RecordCoordinator coordinator() {
        return new RecordCoordinator(
                new CoordinatorConfig("orders", "ns", Duration.ofSeconds(60), key -> null),
                records,
                () -> records.nanos);
    }

    /** A store whose requests are listed, and before each of which something may happen. */
    private static final class Records implements RecordStore {
        final Map<String, Entry> entries = new HashMap<>();
        final List<String> requests = new ArrayList<>();
        final Deque<Runnable> before = new ArrayDeque<>();
        Instant time = Instant.parse("2026-03-01T10:00:00Z");
        boolean answersWrites = true;
        long nanos;
        private long writes;

        void put(String key, String value) {
            writes++;
            entries.put(key, new Entry(value, writes));
        }

        @Nullable
        String value(String key) {
            Entry entry = entries.get(key);
            return entry == null ? null : entry.value();
        }

        private void request(String what) {
            requests.add(what);
            Runnable event = before.poll();
            if (event != null) {
                event.run();
            }
        }

        /** Runs something before the request with this number, counted from 0. */
        void before(int number, Runnable event) {
            before.clear();
            for (int i = 0; i < number; i++) {
                before.add(() -> {});
            }
            before.add(event);
        }

        @Override
        public Reading read(List<String> keys, Duration timeout) {
            request("read " + String.join(" ", keys));
            Map<String, Entry> found = new HashMap<>(entries);
            found.keySet().retainAll(keys);
            return new Reading(found, time);
        }

        @Override
        public Write compareAndSet(String key, @Nullable Entry expected, String next, Duration timeout) {
            request("write " + key);
            Entry present = entries.get(key);
            if (expected == null ? present != null : !expected.equals(present)) {
                return new Write.Rejected();
            }
            put(key, next);
            return answersWrites ? new Write.Applied() : new Write.Unknown(away());
        }

        @Override
        public void close() {}
    }

    private static CoordinatorException away() {
        return new CoordinatorException("no answer", false);
    }

    private Stored claim(int id) {
        records.put("ns/meta", META.value());
        CasResult claimed = coordinator.claim(id, null, "limit=1 " + id, OWNER, false, META, CALL);
        assertThat(claimed).isEqualTo(new Applied(new Stored("limit=1 " + id, 0), true, records.time));
        records.requests.clear();
        return ((Applied) claimed).written();
    }

    private CasResult extend(Stored mark) {
        return coordinator.extend(7, mark, "limit=2", OWNER, META, CALL);
    }

    private void retire() {
        records.put("ns/meta", "id=1 state=retired");
    }

    @Test
    void everyWriteOfAMarkIsValidatedAfterwards() {
        Stored mark = claim(7);

        assertThat(extend(mark)).isEqualTo(new Applied(new Stored("limit=2", 0), true, records.time));

        assertThat(records.requests)
                .containsExactly(
                        "read ns/marks/7", "read ns/meta", "write ns/marks/7", "read ns/marks/7", "read ns/meta");
    }

    // obj_before, obj_none: the writer looked at the record before the write, or not at all
    @Test
    void aWriteGrantsNothingIfTheNamespaceIsRetiredBeforeItIsValidated() {
        Stored mark = claim(7);
        for (int request = 0; request <= 4; request++) {
            records.put("ns/meta", META.value());
            Stored now = new Stored(
                    coordinator.read(7, 7, CALL).slots().get(0).mark().value(), 0);
            records.before(request, this::retire);

            CasResult result = coordinator.extend(7, now, "limit=2 " + request, OWNER, META, CALL);

            assertThat(result).as("retired before request %s", request).isInstanceOf(Rejected.class);
            Rejected rejected = (Rejected) result;
            assertThat(rejected.meta().value()).isEqualTo("id=1 state=retired");
        }
        assertThat(mark.value()).isEqualTo("limit=1 7");
    }

    // the same for a claim, a release, and several extensions at once
    @Test
    void noWriteGrantsAnythingOnceTheNamespaceIsRetired() {
        Stored mark = claim(7);
        records.before(3, this::retire);
        assertThat(coordinator.claim(8, null, "limit=1", "token=b", false, META, CALL))
                .isInstanceOf(Rejected.class);
        records.put("ns/meta", META.value());
        records.before(3, this::retire);
        assertThat(coordinator.extendAll(List.of(new Extension(7, mark, "limit=2", OWNER)), META, CALL))
                .allMatch(Rejected.class::isInstance);
        records.put("ns/meta", META.value());
        records.before(3, this::retire);
        assertThat(coordinator.release(7, new Stored("limit=2", 0), "limit=1", OWNER, META, CALL))
                .isInstanceOf(Rejected.class);
    }

    // an operator who retires a namespace reads the marks after that, and sees this one
    @Test
    void anOperatorWhoRetiresANamespaceSeesWhatWasWrittenBefore() {
        Stored mark = claim(7);
        List<String> seen = new ArrayList<>();
        records.before(4, () -> {
            retire();
            seen.add(records.value("ns/marks/7"));
        });

        assertThat(extend(mark)).isInstanceOf(Rejected.class);

        assertThat(seen).allMatch(value -> value.startsWith("limit=2\n")).hasSize(1);
    }

    // two copies of a store, each of which takes writes: acknowledged by one, validated at the other, and granted there
    // again
    @Test
    void aWriteThatIsAcknowledgedAndNotSeenIsUnknown() {
        Stored mark = claim(7);
        String before = records.value("ns/marks/7");
        records.before(3, () -> records.put("ns/marks/7", before));

        CasResult result = extend(mark);

        assertThat(result).isInstanceOf(Unknown.class);
        assertThat(((Unknown) result).cause())
                .hasMessage(
                        "the coordinator acknowledged a write of ns/marks/7, after which it shows the same as before");
    }

    @Test
    void aWriteThatAnotherHasFollowedIsApplied() {
        Stored mark = claim(7);
        records.before(3, () -> records.put("ns/marks/7", "limit=9 of another"));

        assertThat(extend(mark)).isInstanceOf(Applied.class);
    }

    @Test
    void aClaimThatIsAcknowledgedAndNotSeenIsUnknown() {
        records.put("ns/meta", META.value());
        records.before(3, () -> records.entries.remove("ns/marks/8"));

        assertThat(coordinator.claim(8, null, "limit=1", OWNER, false, META, CALL))
                .isInstanceOf(Unknown.class);
    }

    @Test
    void whatStandsAndCannotBeValidatedIsUnknown() {
        Stored mark = claim(7);
        for (int request = 3; request <= 4; request++) {
            Stored now = new Stored(
                    coordinator.read(7, 7, CALL).slots().get(0).mark().value(), 0);
            records.before(request, () -> {
                throw away();
            });
            assertThat(coordinator.extend(7, now, "limit=2 " + request, OWNER, META, CALL))
                    .isInstanceOf(Unknown.class);
        }
        assertThat(mark).isNotNull();
    }

    // the write may still be applied, after the look
    @Test
    void aWriteOfUnknownOutcomeStaysUnknownWhateverIsSeen() {
        Stored mark = claim(7);
        records.answersWrites = false;

        assertThat(extend(mark)).isInstanceOf(Unknown.class);

        assertThat(records.value("ns/marks/7")).startsWith("limit=2\n");
    }

    // seen applied by another, or not yet, it was sent again with other bytes
    @Test
    void aWriteOfUnknownOutcomeStaysUnknownBesideOthersThatAreKnown() {
        Stored seventh = claim(7);
        Stored eighth = claim(8);
        records.before(3, () -> records.answersWrites = false);

        List<CasResult> results = coordinator.extendAll(
                List.of(new Extension(7, seventh, "limit=7", OWNER), new Extension(8, eighth, "limit=8", OWNER)),
                META,
                CALL);

        assertThat(records.requests).element(3).isEqualTo("write ns/marks/8");
        assertThat(results.get(0)).isInstanceOf(Applied.class);
        assertThat(results.get(1)).isInstanceOf(Unknown.class);
    }

    @Test
    void whatFailsBeforeTheWriteCertainlyChangesNothing() {
        Stored mark = claim(7);
        records.before(0, () -> {
            throw away();
        });

        assertThatThrownBy(() -> extend(mark)).isInstanceOf(CoordinatorException.class);
    }

    @Test
    void whatIsRejectedShowsWhatStandsAfterwards() {
        Stored mark = claim(7);
        records.before(2, () -> records.put("ns/marks/7", "limit=9 of another"));

        CasResult result = extend(mark);

        assertThat(result).isEqualTo(new Rejected(META, new Slot(7, new Stored("limit=9 of another", 0), null)));
    }

    @Test
    void anExtensionThatIsSentAgainFindsItself() {
        Stored mark = claim(7);
        assertThat(extend(mark)).isInstanceOf(Applied.class);

        assertThat(extend(mark)).isEqualTo(new Rejected(META, new Slot(7, new Stored("limit=2", 0), OWNER)));
    }

    @Test
    void anOwnerExpiresByTheStoresClockUnlessItIsExtended() {
        Stored mark = claim(7);
        records.time = records.time.plusSeconds(59);
        assertThat(extend(mark)).isEqualTo(new Applied(new Stored("limit=2", 0), true, records.time));
        records.time = records.time.plusSeconds(59);
        assertThat(coordinator.read(7, 7, CALL).slots().get(0).owner()).isEqualTo(OWNER);
        records.time = records.time.plusSeconds(1);
        assertThat(coordinator.read(7, 7, CALL).slots().get(0).owner()).isNull();

        CasResult late = coordinator.extend(7, new Stored("limit=2", 0), "limit=3", OWNER, META, CALL);

        assertThat(late).isEqualTo(new Applied(new Stored("limit=3", 0), false, records.time));
        assertThat(records.value("ns/marks/7")).isEqualTo("limit=3");
    }

    @Test
    void anothersOwnerIsNeitherRenewedNorRemoved() {
        Stored mark = claim(7);
        String before = records.value("ns/marks/7");

        assertThat(coordinator.extend(7, mark, "limit=2", "token=b", META, CALL))
                .isEqualTo(new Applied(new Stored("limit=2", 0), false, records.time));
        assertThat(coordinator.release(7, new Stored("limit=2", 0), "limit=1 7", "token=b", META, CALL))
                .isInstanceOf(Applied.class);
        coordinator.abandon(7, "token=b", CALL);

        assertThat(records.value("ns/marks/7")).isEqualTo(before);
    }

    // a process with a longer window joined and a third claimed the worker id: that was taken for lost data
    @Test
    void aReleaseThatAnotherClaimHasFollowedShowsWhatItWrote() {
        Stored mark = claim(7);
        records.before(3, () -> {
            records.put("ns/meta", "id=1 max-window=PT20S");
            records.put("ns/marks/7", "limit=9\nexpires=2026-03-01T11:00:00Z token=b");
        });

        CasResult released = coordinator.release(7, mark, "limit=0 free", OWNER, META, CALL);

        assertThat(((Rejected) released).meta().value()).isEqualTo("id=1 max-window=PT20S");
        assertThat(((Rejected) released).seen().mark().value()).isEqualTo("limit=0 free");
    }

    @Test
    void anOwnerThatAnEditorSpoiltCountsAsNone() {
        claim(7);
        records.put("ns/marks/7", "limit=1 7\nexpires=soon token=a");

        assertThat(coordinator.read(7, 7, CALL).slots().get(0).owner()).isNull();
    }

    // no request could read anything any more, so that an operator could not even restore the namespace
    @ParameterizedTest
    @ValueSource(strings = {"limit=1 7\n", "limit=1 7\nexp", "limit=1 7\n\n", "\n", ""})
    void aMarkThatAnEditorSpoiltIsReadAsItIs(String spoilt) {
        Stored mark = claim(7);
        records.put("ns/marks/7", spoilt);

        Slot read = coordinator.read(6, 8, CALL).slots().get(1);
        assertThat(read.mark().value()).isEqualTo(spoilt);
        assertThat(read.owner()).isNull();
        assertThat(((Rejected) extend(mark)).seen().mark().value()).isEqualTo(spoilt);
    }

    @Test
    void linesWithinAValueAreKept() {
        records.put("ns/meta", META.value());
        String odd = "a\nb\\n\\ \\\n";

        assertThat(coordinator.claim(7, null, odd, odd, false, META, CALL)).isInstanceOf(Applied.class);

        assertThat(coordinator.read(7, 7, CALL).slots()).containsExactly(new Slot(7, new Stored(odd, 0), odd));
    }

    @Test
    void aCallEndsWithItsTimeoutHoweverManyRequestsItNeeds() {
        Stored mark = claim(7);
        records.before(2, () -> records.nanos += CALL.toNanos());

        assertThat(extend(mark)).isInstanceOf(Unknown.class);

        assertThat(records.requests).hasSize(3);
    }
}
