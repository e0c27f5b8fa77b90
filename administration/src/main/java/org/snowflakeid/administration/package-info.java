// SPDX-License-Identifier: Apache-2.0
/**
 * Restores a namespace after its coordinator lost data, moves one to another place, and reports what is in it: for the operator's command. Calls
 * block until the coordinator has answered.
 */
@NullMarked
package org.snowflakeid.administration;

import org.jspecify.annotations.NullMarked;
