// SPDX-License-Identifier: Apache-2.0
/** What an insert costs with each kind of id: the command {@code bin/compare-inserts}. */
@NullMarked
package org.snowflakeid.inserts;

import org.jspecify.annotations.NullMarked;
