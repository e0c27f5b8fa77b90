// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.snowflakeid.kubernetes;

import org.jspecify.annotations.NullMarked;
