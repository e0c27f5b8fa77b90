// SPDX-License-Identifier: Apache-2.0
/** The orders of the examples, where nothing of Jakarta Persistence is there. */
@NullMarked
package org.snowflakeid.runtime.orders;

import org.jspecify.annotations.NullMarked;
