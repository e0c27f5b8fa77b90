// SPDX-License-Identifier: Apache-2.0
/** Worker ids leased from a table of an SQL database. */
@NullMarked
package org.snowflakeid.jdbc;

import org.jspecify.annotations.NullMarked;
