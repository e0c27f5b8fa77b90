// SPDX-License-Identifier: Apache-2.0
/**
 * Worker processes on real coordinators under faults of a seeded schedule. Each worker writes down every id it got; when the
 * faults are over, a checker reads all of it.
 */
@NullMarked
package org.snowflakeid.chaos;

import org.jspecify.annotations.NullMarked;
