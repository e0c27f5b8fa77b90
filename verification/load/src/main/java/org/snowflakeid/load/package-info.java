// SPDX-License-Identifier: Apache-2.0
/** Measures what a coordinator costs a start, and what many holders of worker ids cost the coordinator. */
@NullMarked
package org.snowflakeid.load;

import org.jspecify.annotations.NullMarked;
