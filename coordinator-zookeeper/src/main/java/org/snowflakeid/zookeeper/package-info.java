// SPDX-License-Identifier: Apache-2.0
/** Worker ids leased from ZooKeeper. */
@NullMarked
package org.snowflakeid.zookeeper;

import org.jspecify.annotations.NullMarked;
