// SPDX-License-Identifier: Apache-2.0
/** Breaks the rules of the protocol one by one, and looks which test notices. */
@NullMarked
package org.snowflakeid.mutants;

import org.jspecify.annotations.NullMarked;
