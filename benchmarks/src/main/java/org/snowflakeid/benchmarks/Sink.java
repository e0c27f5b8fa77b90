// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import org.jspecify.annotations.Nullable;

/** Where ids go: the compiler would drop the computation of a value that is never read. */
final class Sink {

    static volatile long mixed;
    static volatile @Nullable Object batch;

    private Sink() {}

    static void take(Generator generator, int count) {
        long mix = 0;
        for (int i = 0; i < count; i++) {
            mix ^= generator.nextId();
        }
        mixed = mix;
    }
}
