// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.helidon;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

@ApplicationScoped
public class Meters {

    @Produces
    @Singleton
    MeterRegistry registry() {
        return Metrics.globalRegistry;
    }
}
