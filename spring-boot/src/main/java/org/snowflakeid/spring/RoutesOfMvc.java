// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.DispatcherServlet;

/** Answers where there are no ids, where the application has Spring MVC. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
class RoutesOfMvc {

    @Bean
    static UnavailableServletRoute snowflakeUnavailableServletRoute() {
        return new UnavailableServletRoute();
    }
}
