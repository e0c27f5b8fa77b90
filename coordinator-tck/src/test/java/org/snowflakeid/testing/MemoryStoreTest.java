// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.tck.ManualPlatform;
import org.snowflakeid.testing.MemoryStore.Fault;

/** The misfortunes of a server, one by one. */
class MemoryStoreTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final Stored META = new Stored("meta", 0);

    private final ManualPlatform platform = new ManualPlatform().callersMoveTime();
    private final MemoryStore store = new MemoryStore(platform);
    private final WorkerCoordinator coordinator = store.provider()
            .open(new CoordinatorConfig("default", "ns", Duration.ofSeconds(10), key -> null), () -> {});

    @BeforeEach
    void claim() {
        coordinator.writeMeta(null, META.value(), TIMEOUT);
        assertThat(coordinator.claim(7, null, "a", "owner", false, META, TIMEOUT))
                .isInstanceOf(CasResult.Applied.class);
    }

    private CasResult extend(String from, String to) {
        return coordinator.extend(7, new Stored(from, 0), to, "owner", META, TIMEOUT);
    }

    @Test
    void aLostReplyLeavesTheWriteApplied() {
        store.nextCalls(Fault.REPLY_LOST);

        assertThat(extend("a", "b")).isInstanceOf(CasResult.Unknown.class);
        assertThat(store.mark("ns", 7)).isEqualTo("b");
        assertThat(extend("b", "c")).isInstanceOf(CasResult.Applied.class);
    }

    @Test
    void aLostRequestLeavesNothing() {
        store.nextCalls(Fault.REQUEST_LOST);

        assertThat(extend("a", "b")).isInstanceOf(CasResult.Unknown.class);
        assertThat(store.mark("ns", 7)).isEqualTo("a");
    }

    @Test
    void aRefusedRequestIsKnownToHaveLeftNothing() {
        store.nextCalls(Fault.REFUSED);

        assertThatThrownBy(() -> extend("a", "b")).isInstanceOf(CoordinatorException.class);
        assertThat(store.mark("ns", 7)).isEqualTo("a");
    }

    @Test
    void aHeldRequestIsAppliedLateIfItsComparesStillHold() {
        store.nextCalls(Fault.REQUEST_HELD, Fault.REQUEST_HELD);
        assertThat(extend("a", "b")).isInstanceOf(CasResult.Unknown.class);
        assertThat(extend("a", "other")).isInstanceOf(CasResult.Unknown.class);
        assertThat(store.mark("ns", 7)).isEqualTo("a");

        store.deliverHeldRequests();

        assertThat(store.mark("ns", 7)).isEqualTo("b");
    }

    @Test
    void aHeldClaimThatWasAbandonedIsNotAppliedLate() {
        store.nextCalls(Fault.REQUEST_HELD);
        coordinator.claim(8, null, "late", "late owner", false, META, TIMEOUT);
        coordinator.abandon(8, "late owner", TIMEOUT);

        store.deliverHeldRequests();

        assertThat(store.mark("ns", 8)).isNull();
        assertThat(store.owner("ns", 8)).isNull();
    }

    @Test
    void aSlowAnswerIsUnknownThoughApplied() {
        store.latency(Duration.ofSeconds(3));
        long start = platform.nanoTime();

        assertThat(extend("a", "b")).isInstanceOf(CasResult.Unknown.class);
        assertThat(platform.nanoTime() - start).isEqualTo(TIMEOUT.toNanos());
        assertThat(store.mark("ns", 7)).isEqualTo("b");
    }

    @Test
    void losesItsDataAndGetsOldOnesBack() {
        MemoryStore.Backup backup = store.backup();
        extend("a", "b");

        store.restore(backup);
        assertThat(store.mark("ns", 7)).isEqualTo("a");

        store.wipe("ns");
        assertThat(store.meta("ns")).isNull();
        assertThat(store.mark("ns", 7)).isNull();
    }

    @Test
    void anOwnerCanBeTakenAway() {
        store.tellsTime(false);
        store.removeOwner("ns", 7);

        assertThat(extend("a", "b")).isEqualTo(new CasResult.Applied(new Stored("b", 0), false));
    }

    @Test
    void itsClockIsItsOwn() {
        platform.stepWallClock(Duration.ofHours(1));
        store.clockOffset(Duration.ofSeconds(5));
        assertThat(coordinator.read(0, 0, TIMEOUT).serverTime())
                .isEqualTo(platform.now().minus(Duration.ofHours(1)).plusSeconds(5));

        store.tellsTime(false);
        assertThat(coordinator.read(0, 0, TIMEOUT).serverTime()).isNull();
    }

    @Test
    void servesAnApplicationThatNamesIt() {
        SnowflakeSettings settings =
                SnowflakeSettings.of(Map.of("snowflake.coordinator", "memory", "snowflake.namespace", "by-name"));

        try (LeasedSnowflake one = LeasedSnowflake.open(settings);
                LeasedSnowflake other = LeasedSnowflake.open(settings)) {
            assertThat(one.status().coordinator()).isEqualTo("memory");
            assertThat(one.status().workerId()).isNotEqualTo(other.status().workerId());
        }
    }
}
