// SPDX-License-Identifier: Apache-2.0
/** What an application adds, so that its meters are in the answer of a server's own MicroProfile Metrics. */
@NullMarked
package org.snowflakeid.runtime.metrics;

import org.jspecify.annotations.NullMarked;
