// SPDX-License-Identifier: Apache-2.0
/** An application whose tests need no server. */
@NullMarked
package org.snowflakeid.testing.quarkus;

import org.jspecify.annotations.NullMarked;
