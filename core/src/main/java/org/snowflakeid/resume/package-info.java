// SPDX-License-Identifier: Apache-2.0
/**
 * Lets a process start without its coordinator, from notes that one before it left on this host. Optional: core works without it, and reaches it
 * by {@link org.snowflakeid.claim.Takeover} and {@link org.snowflakeid.claim.ClaimFile}. A thread of its own writes the notes.
 */
@NullMarked
package org.snowflakeid.resume;

import org.jspecify.annotations.NullMarked;
