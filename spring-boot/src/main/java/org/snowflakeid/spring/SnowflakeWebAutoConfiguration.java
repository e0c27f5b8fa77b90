// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import org.snowflakeid.json.SnowflakeText;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.ControllerAdvice;

/**
 * Ids in the requests of Spring MVC and Spring WebFlux, and answers where there are none. A parameter with {@link SnowflakeText} takes only
 * the text of an id. Both errors are problem details: 400 for another text, and 503 with {@code Retry-After} if no id can be made now.
 */
@AutoConfiguration
@ConditionalOnWebApplication
@ConditionalOnClass(ControllerAdvice.class)
@Import({ParametersOfMvc.class, ParametersOfWebFlux.class, RoutesOfMvc.class, RoutesOfWebFlux.class})
public class SnowflakeWebAutoConfiguration {

    /** For Spring. */
    public SnowflakeWebAutoConfiguration() {}

    @Bean
    static InvalidIdAdvice snowflakeInvalidIdAdvice(BeanFactory beans) {
        return new InvalidIdAdvice(beans);
    }

    @Bean
    static UnavailableAdvice snowflakeUnavailableAdvice() {
        return new UnavailableAdvice();
    }
}
