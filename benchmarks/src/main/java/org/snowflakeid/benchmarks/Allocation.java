// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** The bytes of heap that an id costs, once compiled. */
final class Allocation {

    private static final int WARM_UP_IDS = 2_000_000;
    private static final int IDS = 500_000;

    private Allocation() {}

    static void measure(Subject subject, Figures figures) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (Generator generator = subject.open()) {
            for (int i = 0; i < WARM_UP_IDS; i += 1_000) {
                Sink.take(generator, 1_000);
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            Sink.take(generator, IDS);
            long bytes = threads.getCurrentThreadAllocatedBytes() - before;
            figures.put("allocation", Figure.counted((double) bytes / IDS));
        }
    }
}
