// SPDX-License-Identifier: Apache-2.0
/**
 * Issues ids. Only threads that call for an id come in here, and nothing in here blocks but their own bounded wait. It reads the lease in use
 * and changes nothing but its position; it knows no coordinator and no claim.
 */
@NullMarked
package org.snowflakeid.ids;

import org.jspecify.annotations.NullMarked;
