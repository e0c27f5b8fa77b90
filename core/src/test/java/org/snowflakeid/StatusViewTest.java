// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.config.Settings;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.lease.Positions;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.StatusView;
import org.snowflakeid.lease.VettedClock;

/** Tests when a generator with two worker ids reports its clock as behind. */
class StatusViewTest {

    private final Settings settings =
            SnowflakeSettings.of(Map.of("snowflake.workers", "2")).values();
    private final Positions positions = Positions.of(settings.layout());
    private final VirtualWorld world = new VirtualWorld(1);
    private final VirtualWorld.Machine process = world.new Machine();
    private final VettedClock clock = new VettedClock(process, settings.layout(), 10_000);
    private final SharedState shared = new SharedState("default", process, 2);
    private final StatusView status = new StatusView(settings, "memory", clock, shared);

    private Lease issuedUpTo(long tick) {
        Lease lease = new Lease(1, Long.MAX_VALUE);
        lease.open(positions.first(0), 0, 0, clock.tick());
        assertThat(lease.advance(lease.position(), positions.first(tick))).isTrue();
        return lease;
    }

    // a lost worker id was taken for one with ids, and the log reported every second that the trouble was over
    @Test
    void aWorkerIdThatWasLostHasNotCaughtUp() {
        shared.publish(shared.leases().get(0), issuedUpTo(clock.tick() + 3_000));

        assertThat(status.isClockBehind()).isTrue();
    }

    @Test
    void oneWorkerIdWithIdsIsEnough() {
        shared.publish(shared.leases().get(0), issuedUpTo(clock.tick() + 3_000));
        shared.publish(shared.leases().get(1), issuedUpTo(clock.tick() - 1));

        assertThat(status.isClockBehind()).isFalse();
    }
}
