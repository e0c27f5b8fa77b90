// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Issues ids with real threads and the real clock. */
class HotPathTest {

    private final LeasedSnowflake ids = LeasedSnowflake.open(
            SnowflakeSettings.of(Map.of("snowflake.coordinator", "static", "snowflake.static.worker-id", "7")));

    @AfterEach
    void close() {
        ids.close();
    }

    @Test
    void increaseOverAllThreadsInTheOrderOfCalls() throws Exception {
        AtomicLong returned = new AtomicLong();
        List<Callable<long[]>> callers = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            boolean batches = t == 3;
            callers.add(() -> {
                long[] mine = new long[300_000];
                for (int i = 0; i < mine.length; ) {
                    long before = returned.get();
                    long[] got = batches ? ids.nextIds(100) : new long[] {ids.nextId()};
                    for (long id : got) {
                        assertThat(id > before).as("%d after %d", id, before).isTrue();
                        mine[i++] = id;
                    }
                    returned.accumulateAndGet(got[got.length - 1], Math::max);
                }
                return mine;
            });
        }

        ExecutorService threads = Executors.newFixedThreadPool(4);
        long[] all = new long[0];
        try {
            for (Future<long[]> caller : threads.invokeAll(callers)) {
                long[] mine = caller.get();
                assertThat(mine).isSorted();
                int end = all.length;
                all = Arrays.copyOf(all, end + mine.length);
                System.arraycopy(mine, 0, all, end, mine.length);
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(Arrays.stream(all).distinct().count()).isEqualTo(all.length);
    }

    @Test
    void allocatesNothingPerId() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long checksum = 0;
        for (int i = 0; i < 200_000; i++) {
            checksum += ids.nextId();
        }
        long before = threads.getCurrentThreadAllocatedBytes();

        for (int i = 0; i < 100_000; i++) {
            checksum += ids.nextId();
        }

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
        assertThat(checksum).isNotZero();
    }

    @Test
    void decodesToWhatItWasMadeOf() {
        long before = System.currentTimeMillis();
        IdParts parts = ids.layout().decode(ids.nextId());

        assertThat(parts.workerId()).isEqualTo(7);
        assertThat(parts.timestamp().toEpochMilli()).isBetween(before, System.currentTimeMillis());
        assertThat(ids.layout().encode(parts))
                .isBetween(ids.layout().minId(parts.timestamp()), ids.layout().maxId(parts.timestamp()));
    }
}
