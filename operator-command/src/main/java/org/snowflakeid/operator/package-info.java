// SPDX-License-Identifier: Apache-2.0
/** The operator's command: shows, restores and moves namespaces. */
@NullMarked
package org.snowflakeid.operator;

import org.jspecify.annotations.NullMarked;
