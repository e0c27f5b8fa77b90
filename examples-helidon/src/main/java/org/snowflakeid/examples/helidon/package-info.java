// SPDX-License-Identifier: Apache-2.0
/** Ids over HTTP. */
@NullMarked
package org.snowflakeid.examples.helidon;

import org.jspecify.annotations.NullMarked;
