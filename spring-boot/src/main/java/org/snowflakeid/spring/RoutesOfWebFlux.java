// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.DispatcherHandler;

/** Answers where there are no ids, where the application has Spring WebFlux. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(DispatcherHandler.class)
class RoutesOfWebFlux {

    @Bean
    static UnavailableRoute snowflakeUnavailableRoute() {
        return new UnavailableRoute();
    }
}
