// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import java.time.Instant;
import org.snowflakeid.testing.TestSnowflake;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

@TestConfiguration
class FixedIds {

    @Bean
    TestSnowflake ids() {
        return TestSnowflake.workerId(7).at(Instant.parse("2026-01-01T00:00:00Z"));
    }
}
