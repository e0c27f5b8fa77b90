// SPDX-License-Identifier: Apache-2.0
/** One suite for all containers; each module beside it runs it in one of them. */
@NullMarked
package org.snowflakeid.cdi;

import org.jspecify.annotations.NullMarked;
