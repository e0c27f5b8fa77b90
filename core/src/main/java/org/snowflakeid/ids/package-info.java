// SPDX-License-Identifier: Apache-2.0
/**
 * Issues ids, on the threads that ask for them, which block here only for their own bounded wait. Takes positions from the lease in use; knows no
 * coordinator and no claim.
 */
@NullMarked
package org.snowflakeid.ids;

import org.jspecify.annotations.NullMarked;
