// SPDX-License-Identifier: Apache-2.0
/** What an application on Helidon adds, so that its meters are in Helidon's answer to {@code /metrics}. */
@NullMarked
package org.snowflakeid.runtime.helidon;

import org.jspecify.annotations.NullMarked;
