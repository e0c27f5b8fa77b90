// SPDX-License-Identifier: Apache-2.0
/** Ids as text in JSON. */
@NullMarked
package org.snowflakeid.json;

import org.jspecify.annotations.NullMarked;
