// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import org.snowflakeid.json.SnowflakeText;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Ids as parameters, where the application has Spring MVC. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({SnowflakeText.class, RequestMappingHandlerAdapter.class})
class ParametersOfMvc {

    @Bean
    static BeanPostProcessor snowflakeParametersOfMvc() {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                if (bean instanceof RequestMappingHandlerAdapter handlers) {
                    StrictConversions.in(handlers.getWebBindingInitializer());
                } else if (bean instanceof RequestMappingHandlerMapping mapped) {
                    MarkedHandlers.check(mapped.getHandlerMethods().values());
                }
                return bean;
            }
        };
    }
}
