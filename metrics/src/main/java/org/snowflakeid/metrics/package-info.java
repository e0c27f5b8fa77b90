// SPDX-License-Identifier: Apache-2.0
/**
 * What generators do, as meters of Micrometer: {@link org.snowflakeid.metrics.SnowflakeMetrics}.
 *
 * <p>In CDI there is nothing to write. Where the application has a bean of {@link io.micrometer.core.instrument.MeterRegistry}, each generator
 * that is claimed at the start is bound to it before the application takes requests, and its meters are removed when it is closed. Several such
 * beans, of which none can be chosen, are named in a WARNING, and nothing is bound.
 */
@NullMarked
package org.snowflakeid.metrics;

import org.jspecify.annotations.NullMarked;
