// SPDX-License-Identifier: Apache-2.0
/**
 * Claims and extends worker ids by compare-and-set at the coordinator: here it is decided what is safe. All of it runs on the keeper's thread, except
 * where it says otherwise. {@link org.snowflakeid.claim.Claim} holds the argument why no id is issued twice.
 */
@NullMarked
package org.snowflakeid.claim;

import org.jspecify.annotations.NullMarked;
