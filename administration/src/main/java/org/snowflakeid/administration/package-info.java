// SPDX-License-Identifier: Apache-2.0
/**
 * Restores a namespace after its coordinator lost data, moves one to another coordinator, and reports what is in it. The operator's command comes
 * in, on its own thread, which waits for the coordinator.
 */
@NullMarked
package org.snowflakeid.administration;

import org.jspecify.annotations.NullMarked;
