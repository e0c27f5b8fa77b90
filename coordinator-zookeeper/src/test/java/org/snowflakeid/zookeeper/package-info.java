// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.snowflakeid.zookeeper;

import org.jspecify.annotations.NullMarked;
