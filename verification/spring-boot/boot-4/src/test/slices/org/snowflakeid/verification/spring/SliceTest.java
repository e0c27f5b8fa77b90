// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;

/** A test of entities alone has the generators too. */
@DataJpaTest(properties = "snowflake.coordinator=memory")
class SliceTest {

    @Autowired
    Purchases purchases;

    @Test
    void entitiesHaveIds() {
        assertThat(purchases.saveAndFlush(Purchase.of("tea")).id).isPositive();
    }
}
