// SPDX-License-Identifier: Apache-2.0
/** Measures generators of ids side by side, each in a process of its own. */
@NullMarked
package org.snowflakeid.benchmarks;

import org.jspecify.annotations.NullMarked;
