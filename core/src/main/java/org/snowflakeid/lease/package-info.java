// SPDX-License-Identifier: Apache-2.0
/**
 * What callers' threads and the keeper share: the leases in use, the vetted clock, the state of the generator. Waiting callers park here, for a
 * bounded time and without holding a lock.
 */
@NullMarked
package org.snowflakeid.lease;

import org.jspecify.annotations.NullMarked;
