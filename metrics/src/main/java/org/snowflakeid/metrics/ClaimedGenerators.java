// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import java.lang.System.Logger.Level;
import org.snowflakeid.cdi.ClaimedGenerator;

/** Binds the generators of an application to its registry. */
@Dependent
class ClaimedGenerators {

    private static final System.Logger LOG = System.getLogger(ClaimedGenerators.class.getName());

    void bind(@Observes ClaimedGenerator claimed, Instance<MeterRegistry> registry) {
        if (registry.isAmbiguous()) {
            LOG.log(
                    Level.WARNING,
                    "snowflake '" + claimed.ids().status().generator() + "': no metrics in Micrometer, because the"
                            + " application has several beans of MeterRegistry. Give all but one of them a qualifier, or call"
                            + " new SnowflakeMetrics(ids).bindTo(registry) for each.");
        } else if (registry.isResolvable()) {
            SnowflakeMetrics metrics = new SnowflakeMetrics(claimed.ids());
            metrics.bindTo(registry.get());
            claimed.whenClosed(metrics::close);
        }
    }
}
