// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.util.Map;

/**
 * A generator that is compared.
 *
 * @param name by which it is chosen
 * @param module whose jar has its adapter, below the folder of the comparison
 * @param adapter the class in it that sets it up
 * @param workerIds where they are in its ids
 * @param setUp how, in words, with what its documentation says
 * @param claims what it does not claim
 */
record Subject(
        String name,
        String title,
        String module,
        String adapter,
        Coordinator coordinator,
        Settings settings,
        WorkerIds workerIds,
        String setUp,
        String claims) {

    /** @param shift how many bits are below them */
    record WorkerIds(int shift, int bits) {
        long of(long id) {
            return (id >>> shift) & ((1L << bits) - 1);
        }
    }

    /** What a process is started with. */
    interface Settings {

        /**
         * @param port of the coordinator; 0 without one
         * @param number of the process, the same after a restart; twins have the same
         * @param unique another one for each of those that run together, twins included
         */
        Map<String, String> of(int port, int number, int unique);
    }
}
