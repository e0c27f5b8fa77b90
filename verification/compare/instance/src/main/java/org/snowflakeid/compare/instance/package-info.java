// SPDX-License-Identifier: Apache-2.0
/** One process of a generator: it takes ids and writes them down. */
@NullMarked
package org.snowflakeid.compare.instance;

import org.jspecify.annotations.NullMarked;
