// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/** A namespace at a coordinator: where processes claim worker ids. */
record Place(String name, FakeStore store, SnowflakeSettings settings) {}
