// SPDX-License-Identifier: Apache-2.0
/** Worker ids leased from a single Redis server. */
@NullMarked
package org.snowflakeid.redis;

import org.jspecify.annotations.NullMarked;
