// SPDX-License-Identifier: Apache-2.0
/** Ours, as an application without a framework has it. */
@NullMarked
package org.snowflakeid.compare.ours;

import org.jspecify.annotations.NullMarked;
