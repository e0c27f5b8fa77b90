// SPDX-License-Identifier: Apache-2.0
/** What is asked of servers beside the application that every runtime gets: servlets and sessions. */
@NullMarked
package org.snowflakeid.runtime.servers;

import org.jspecify.annotations.NullMarked;
