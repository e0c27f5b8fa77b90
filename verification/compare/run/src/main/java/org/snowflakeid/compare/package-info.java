// SPDX-License-Identifier: Apache-2.0
/** Generators under the same faults: the command, the schedule, the findings and the tables. */
@NullMarked
package org.snowflakeid.compare;

import org.jspecify.annotations.NullMarked;
