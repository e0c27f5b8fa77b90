// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.claim;

import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.config.Settings;
import org.snowflakeid.lease.VettedClock;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.WorkerCoordinator;

/**
 * What the writes of a generator's claims have in common.
 */
public record ClaimContext(
        WorkerCoordinator coordinator, Namespace namespace, Settings settings, Platform platform, VettedClock clock) {

    SnowflakeLayout layout() {
        return settings.layout();
    }

    /** No limit is higher. */
    long lastTick() {
        return settings.lastTick();
    }

    /** Makes a write: whatever it throws, it may have been applied. */
    CasResult write(Supplier<CasResult> call) {
        long asked = platform.nanoTime();
        try {
            CasResult result = call.get();
            compareClock(result, asked);
            return result;
        } catch (CoordinatorException e) {
            return new CasResult.Unknown(e);
        } catch (Throwable e) {
            boolean permanent = e instanceof Error && !(e instanceof VirtualMachineError);
            return new CasResult.Unknown(new CoordinatorException("the coordinator failed: " + e, e, permanent));
        }
    }

    /** Compares the clock with the coordinator's, if the answer to a write reports that. */
    public void compareClock(CasResult result, long askedNanos) {
        if (result instanceof CasResult.Applied applied) {
            compareClock(applied.serverTime(), askedNanos);
        }
    }

    public void compareClock(@Nullable Instant serverTime, long askedNanos) {
        if (serverTime != null) {
            VettedClock.Verdict unused = clock.compare(serverTime.toEpochMilli(), askedNanos);
        }
    }

    Instant rawTime() {
        return Instant.ofEpochMilli(platform.wallMillis());
    }
}
