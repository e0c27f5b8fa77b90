// SPDX-License-Identifier: Apache-2.0
/** A Nacos server for tests. */
@NullMarked
package org.snowflakeid.testservers.nacos;

import org.jspecify.annotations.NullMarked;
