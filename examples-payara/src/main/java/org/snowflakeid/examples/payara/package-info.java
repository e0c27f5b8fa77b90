// SPDX-License-Identifier: Apache-2.0
/** Ids over HTTP on Payara Micro. */
@NullMarked
package org.snowflakeid.examples.payara;

import org.jspecify.annotations.NullMarked;
