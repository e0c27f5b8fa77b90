// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The contributor {@code snowflake}, where Spring Boot 4 has its health classes. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(HealthIndicator.class)
class HealthOnBoot4 {

    @Bean
    @ConditionalOnEnabledHealthIndicator("snowflake")
    // A data warehouse has the same name, and two contributors of one name would stop the start.
    @ConditionalOnMissingBean(name = {"snowflakeHealthIndicator", "snowflakeHealthContributor"})
    static HealthIndicator snowflakeHealthIndicator(Generators generators) {
        return () -> {
            Readiness now = Readiness.of(generators);
            return (now.ready() ? Health.up() : Health.down())
                    .withDetails(now.details())
                    .build();
        };
    }
}
