// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest(properties = "snowflake.coordinator=memory")
class ShopTest {

    @Autowired
    Snowflake ids;

    @Test
    void idsAscend() {
        assertThat(ids.nextId()).isLessThan(ids.nextId());
    }
}
