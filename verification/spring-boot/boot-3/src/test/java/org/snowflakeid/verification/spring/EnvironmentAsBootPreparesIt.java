// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.context.ConfigurableApplicationContext;

/** What {@code SpringApplication} does to an environment, and a runner of tests does not. */
final class EnvironmentAsBootPreparesIt {

    private EnvironmentAsBootPreparesIt() {}

    static void prepare(ConfigurableApplicationContext context) {
        ConfigurationPropertySources.attach(context.getEnvironment());
    }
}
