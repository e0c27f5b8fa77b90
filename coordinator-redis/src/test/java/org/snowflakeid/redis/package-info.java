// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.snowflakeid.redis;

import org.jspecify.annotations.NullMarked;
