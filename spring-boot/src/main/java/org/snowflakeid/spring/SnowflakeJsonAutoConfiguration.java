// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.snowflakeid.json.SnowflakeJackson2Module;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Gives the module for Jackson 2 to Spring Boot's mapper, which takes those that are beans. That for Jackson 3 Spring Boot finds itself. */
@AutoConfiguration
@ConditionalOnClass({ObjectMapper.class, SnowflakeJackson2Module.class})
public class SnowflakeJsonAutoConfiguration {

    /** For Spring. */
    public SnowflakeJsonAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    static SnowflakeJackson2Module snowflakeJackson2Module() {
        return new SnowflakeJackson2Module();
    }
}
