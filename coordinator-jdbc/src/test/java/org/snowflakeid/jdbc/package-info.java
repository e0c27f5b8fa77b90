// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.snowflakeid.jdbc;

import org.jspecify.annotations.NullMarked;
