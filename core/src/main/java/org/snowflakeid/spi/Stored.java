// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

/**
 * A value as it is stored in the coordinator.
 *
 * @param value exactly the characters read or written, never re-encoded
 * @param version what the coordinator needs to name this very write (ZooKeeper: dataVersion); opaque to core, 0 where values
 *     alone are compared
 */
public record Stored(String value, long version) {}
