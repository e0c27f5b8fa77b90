// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.config.Settings;
import org.snowflakeid.ids.IdIssuer;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;

/** On a busy machine others take all ids of each millisecond before the thread that waits for it gets a processor. */
class StarvedLeaderTest {

    private static final int MOST_MILLIS = 200;

    private final Settings settings = SnowflakeSettings.of(Map.of()).values();
    private final BusyPlatform platform = new BusyPlatform();
    private final VettedClock clock = new VettedClock(platform, settings.layout(), 10_000);
    private final SharedState shared = new SharedState("test", platform, 1);
    private final IdIssuer issuer =
            new IdIssuer(settings, platform, clock, shared, shared.leases().get(0));

    private class BusyPlatform extends DelegatingPlatform {
        private final long begin = System.currentTimeMillis();
        private long nanos;
        int waits;
        int parks;

        /** What others do before the one that waits for a millisecond goes on in it. */
        Runnable others = StarvedLeaderTest.this::useUp;

        BusyPlatform() {
            super(Platform.system());
        }

        @Override
        public long wallMillis() {
            return begin + nanos / 1_000_000;
        }

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public void awaitNextMillis() {
            nanos += 1_000_000;
            waits++;
            assertThat(waits).as("milliseconds without an id").isLessThan(MOST_MILLIS);
            others.run();
        }

        @Override
        public void park(long most) {
            parks++;
            nanos += 1_000_000;
        }
    }

    @BeforeEach
    void lease() {
        long tick = settings.layout().tickOf(platform.wallMillis());
        Lease lease = new Lease(3, Long.MAX_VALUE);
        lease.grant(Long.MAX_VALUE, Long.MAX_VALUE, 60_000);
        lease.open(tick << 12, tick, 0, tick);
        shared.publish(shared.leases().get(0), lease);
        shared.start();
    }

    private long useUp() {
        long taken = 0;
        while (issuer.tryNextId(0) != IdIssuer.NONE) {
            taken++;
        }
        return taken;
    }

    @Test
    void hasTheNextIdsKept() {
        assertThat(useUp()).isPositive();

        assertThat(issuer.nextId(0, () -> false)).isPositive();

        assertThat(platform.waits).isBetween(20, 30);
        assertThat(useUp()).as("ids for all, once it has its own").isPositive();
    }

    @Test
    void letsACallThatComesThenWait() {
        assertThat(useUp()).isPositive();
        platform.others = () -> {
            if (useUp() == 0) {
                assertThat(issuer.nextId(0, () -> false)).isPositive();
            }
        };

        assertThat(issuer.nextId(0, () -> false)).isPositive();

        assertThat(platform.parks).isPositive();
    }
}
