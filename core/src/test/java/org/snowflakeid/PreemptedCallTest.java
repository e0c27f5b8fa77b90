// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.snowflakeid.config.StaticCoordinatorProvider;

/** Another thread issues ids just after a call has read the clock, and the call goes on much later. */
class PreemptedCallTest {

    private final PreemptingPlatform platform = new PreemptingPlatform();
    private final LeasedSnowflake ids = LeasedSnowflake.open(
            SnowflakeSettings.of(Map.of(
                    "snowflake.coordinator", "static",
                    "snowflake.static.worker-id", "7",
                    "snowflake.clock.on-rollback", "fail")),
            new StaticCoordinatorProvider(),
            platform);

    private final class PreemptingPlatform extends DelegatingPlatform {
        private volatile @Nullable Thread preempted;
        private final AtomicLong asleepMillis = new AtomicLong();

        PreemptingPlatform() {
            super(Platform.system());
        }

        @Override
        public long wallMillis() {
            long read = super.wallMillis() + asleepMillis.get();
            if (Thread.currentThread().equals(preempted)) {
                preempted = null;
                asleepMillis.addAndGet(50);
                assertThat(ids.nextId()).isPositive();
            }
            return read;
        }
    }

    @Test
    void takesItsOwnSleepForNoStepOfTheClock() {
        long before = ids.nextId();

        platform.preempted = Thread.currentThread();
        long[] batch = ids.nextIds(2);
        platform.preempted = Thread.currentThread();
        long single = ids.nextId();

        assertThat(new long[] {before, batch[0], batch[1], single}).isSorted();
        ids.close();
    }
}
