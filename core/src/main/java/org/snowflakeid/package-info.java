// SPDX-License-Identifier: Apache-2.0
/** Time-ordered 64-bit ids whose worker id is granted by a coordinator for a span of timestamps. */
@NullMarked
package org.snowflakeid;

import org.jspecify.annotations.NullMarked;
