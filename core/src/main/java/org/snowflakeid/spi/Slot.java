// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

import org.jspecify.annotations.Nullable;

/**
 * One worker id in the coordinator.
 *
 * @param mark null if this worker id was never claimed
 * @param owner the owner's value as stored; null if there is none
 */
public record Slot(
        int workerId, @Nullable Stored mark, @Nullable String owner) {}
