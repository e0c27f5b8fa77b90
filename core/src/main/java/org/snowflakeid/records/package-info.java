// SPDX-License-Identifier: Apache-2.0
/**
 * The lines that are stored at a coordinator, and how far they may reach: marks, owner entries, the namespace record. Plain values, without threads,
 * locks or calls, for claims and the administration of namespaces.
 */
@NullMarked
package org.snowflakeid.records;

import org.jspecify.annotations.NullMarked;
