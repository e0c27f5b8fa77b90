// SPDX-License-Identifier: Apache-2.0
/** Stands in for a JDK with checkpoints, as far as org.crac sees of it. */
@NullMarked
package javax.crac;

import org.jspecify.annotations.NullMarked;
