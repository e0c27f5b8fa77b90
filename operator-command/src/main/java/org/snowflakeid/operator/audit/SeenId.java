// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

/**
 * An id of the table, taken apart. Negative ids are not: no layout here has them.
 *
 * @param rows in how many rows it is
 * @param millis its timestamp, in milliseconds since 1970
 * @param tick its timestamp in the layout's unit, since the epoch
 */
record SeenId(long id, long rows, long millis, long tick, int workerId, int sequence) {

    static SeenId of(long id, long rows, IdLayout layout) {
        return new SeenId(
                id,
                rows,
                layout.millisOf(id),
                layout.timestamp().of(id),
                Math.toIntExact(layout.workerId().of(id)),
                Math.toIntExact(layout.sequence().of(id)));
    }
}
