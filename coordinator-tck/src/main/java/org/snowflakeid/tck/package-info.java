// SPDX-License-Identifier: Apache-2.0
/** What proves a coordinator: the contract it must pass, and a clock that tests move. */
@NullMarked
package org.snowflakeid.tck;

import org.jspecify.annotations.NullMarked;
