// SPDX-License-Identifier: Apache-2.0
/**
 * What the threads that issue ids and the keeper share: the lease in use, the vetted clock, the state of the generator. Each field says which side
 * writes it. Both sides come in, and none of them waits for the other in here.
 */
@NullMarked
package org.snowflakeid.lease;

import org.jspecify.annotations.NullMarked;
