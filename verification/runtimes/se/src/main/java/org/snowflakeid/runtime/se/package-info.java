// SPDX-License-Identifier: Apache-2.0
/** The application under test without a platform: CDI in Java SE, behind the JDK's HTTP server. */
@NullMarked
package org.snowflakeid.runtime.se;

import org.jspecify.annotations.NullMarked;
