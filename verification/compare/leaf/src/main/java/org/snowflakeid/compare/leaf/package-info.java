// SPDX-License-Identifier: Apache-2.0
/** Leaf's snowflakes, as its server has them. */
@NullMarked
package org.snowflakeid.compare.leaf;

import org.jspecify.annotations.NullMarked;
