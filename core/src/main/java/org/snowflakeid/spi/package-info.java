// SPDX-License-Identifier: Apache-2.0
/** What a coordinator implements: one consistent read and a few timed compare-and-set operations. */
@NullMarked
package org.snowflakeid.spi;

import org.jspecify.annotations.NullMarked;
