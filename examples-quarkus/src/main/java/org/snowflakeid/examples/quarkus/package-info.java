// SPDX-License-Identifier: Apache-2.0
/** What the example needs besides ids and orders. */
@NullMarked
package org.snowflakeid.examples.quarkus;

import org.jspecify.annotations.NullMarked;
