// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import org.snowflakeid.SnowflakeUnavailableException;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Functional endpoints that have no id. */
@Configuration(proxyBeanMethods = false)
class Routes {

    private static IllegalStateException unavailable() {
        return new IllegalStateException(new SnowflakeUnavailableException("snowflake 'default': no ids from etcd-1"));
    }

    @Bean
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static org.springframework.web.servlet.function.RouterFunction<?> routesOfMvc() {
        return org.springframework.web.servlet.function.RouterFunctions.route()
                .GET("/route", request -> {
                    throw unavailable();
                })
                .build();
    }

    @Bean
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static org.springframework.web.reactive.function.server.RouterFunction<?> routesOfWebFlux() {
        return org.springframework.web.reactive.function.server.RouterFunctions.route()
                .GET("/route", request -> {
                    throw unavailable();
                })
                .build();
    }
}
