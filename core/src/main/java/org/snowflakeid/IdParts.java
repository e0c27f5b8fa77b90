// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Instant;

/**
 * What an id is made of.
 *
 * @param timestamp with millisecond precision
 * @param workerId 0 to {@link SnowflakeLayout#maxWorkerId()}
 * @param sequence 0 to 2^sequenceBits - 1
 */
public record IdParts(Instant timestamp, int workerId, int sequence) {}
