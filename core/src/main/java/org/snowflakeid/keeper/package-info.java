// SPDX-License-Identifier: Apache-2.0
/**
 * Looks after the worker ids of one generator: claims at the start, extends in time, replaces what was lost, gives back at the end. All of it runs on
 * the keeper's thread, one for each generator, except where it says otherwise.
 */
@NullMarked
package org.snowflakeid.keeper;

import org.jspecify.annotations.NullMarked;
