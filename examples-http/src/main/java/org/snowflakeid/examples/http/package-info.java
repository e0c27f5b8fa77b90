// SPDX-License-Identifier: Apache-2.0
/** Ids over HTTP. */
@NullMarked
package org.snowflakeid.examples.http;

import org.jspecify.annotations.NullMarked;
