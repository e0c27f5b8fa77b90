// SPDX-License-Identifier: Apache-2.0
/** Reads the ids of a table of any database, made by any generator of this kind, and says what is wrong with them. */
@NullMarked
package org.snowflakeid.operator.audit;

import org.jspecify.annotations.NullMarked;
