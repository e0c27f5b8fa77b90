// SPDX-License-Identifier: Apache-2.0
/** Real servers as child processes of a test, and the faults to inject into them. */
@NullMarked
package org.snowflakeid.testservers;

import org.jspecify.annotations.NullMarked;
