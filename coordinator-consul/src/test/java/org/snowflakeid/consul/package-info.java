// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.snowflakeid.consul;

import org.jspecify.annotations.NullMarked;
