// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.snowflakeid.http;

import org.jspecify.annotations.NullMarked;
