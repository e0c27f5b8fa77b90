// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.snowflakeid.support;

import org.jspecify.annotations.NullMarked;
