// SPDX-License-Identifier: Apache-2.0
/** Generators that ask no coordinator for their worker id. */
@NullMarked
package org.snowflakeid.compare.alone;

import org.jspecify.annotations.NullMarked;
