// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.config.Settings;
import org.snowflakeid.ids.IdIssuer;
import org.snowflakeid.lease.CurrentLease;
import org.snowflakeid.lease.Lease;
import org.snowflakeid.lease.SharedState;
import org.snowflakeid.lease.VettedClock;

/** A call that comes between the seal of one lease and the next lease, and should not wait: callers don't notice a swap. */
class SwapTest {

    private final VirtualWorld world = new VirtualWorld(1);
    private final VirtualWorld.Machine machine = world.new Machine();
    private final Settings settings =
            SnowflakeSettings.of(Map.of("snowflake.wait-timeout", "PT0S")).values();
    private final VettedClock clock = new VettedClock(machine, settings.layout(), 10_000);
    private final SharedState shared = new SharedState("test", machine, 1);
    private final CurrentLease inUse = shared.leases().get(0);
    private final IdIssuer ids = new IdIssuer(settings, machine, clock, shared, inUse);

    @BeforeEach
    void begin() {
        shared.publish(inUse, lease(3));
        shared.start();
    }

    @AfterEach
    void end() {
        boolean unused = Thread.interrupted();
        shared.close();
    }

    private Lease lease(int workerId) {
        long tick = clock.tick();
        Lease lease = new Lease(workerId, Long.MAX_VALUE);
        lease.grant(Long.MAX_VALUE, machine.nanoTime() + 3_600_000_000_000L, 60_000);
        lease.open(tick << 12, tick, 0, tick);
        return lease;
    }

    private void swapIn(Duration duration) {
        inUse.get().seal();
        Thread unused = machine.start("keeper", () -> {
            world.sleep(duration);
            shared.publish(inUse, lease(7));
            shared.wakeCallers();
        });
    }

    private int workerIdOfNext() {
        return settings.layout().decode(ids.nextId(0, () -> false)).workerId();
    }

    // the call failed, and the status said for a third of a window that the coordinator had not answered
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 40})
    void aCallThatMayNotWaitGetsAnIdOfTheNext(int millis) {
        swapIn(Duration.ofMillis(millis));

        assertThat(workerIdOfNext()).isEqualTo(7);
        assertThat(shared.troubles().lastError()).isEmpty();
    }

    // the call failed, though it had to wait for no more than a millisecond
    @Test
    void soDoesOneWhoseThreadIsInterrupted() {
        swapIn(Duration.ofMillis(0));
        Thread.currentThread().interrupt();

        assertThat(workerIdOfNext()).isEqualTo(7);
        assertThat(Thread.interrupted()).isTrue();
    }
}
