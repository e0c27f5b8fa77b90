// SPDX-License-Identifier: Apache-2.0
/**
 * Keys, what they may be set to, which coordinator they choose, and how messages and the log show text. Settings are read at deployment or at the
 * start of a generator.
 */
@NullMarked
package org.snowflakeid.config;

import org.jspecify.annotations.NullMarked;
