// SPDX-License-Identifier: Apache-2.0
/** What a coordinator implements: one read and a few compare-and-set operations, each with a timeout. */
@NullMarked
package org.snowflakeid.spi;

import org.jspecify.annotations.NullMarked;
