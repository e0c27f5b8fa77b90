// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.snowflakeid.nacos;

import org.jspecify.annotations.NullMarked;
