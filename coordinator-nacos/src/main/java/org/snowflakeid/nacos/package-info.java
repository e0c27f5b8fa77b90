// SPDX-License-Identifier: Apache-2.0
/** Worker ids leased from Nacos. */
@NullMarked
package org.snowflakeid.nacos;

import org.jspecify.annotations.NullMarked;
