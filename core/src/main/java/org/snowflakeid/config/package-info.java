// SPDX-License-Identifier: Apache-2.0
/**
 * Keys, what they may be set to, and which coordinator they choose. Whatever reads settings comes in, at deployment or at the start of a
 * generator; nothing in here runs afterwards.
 */
@NullMarked
package org.snowflakeid.config;

import org.jspecify.annotations.NullMarked;
