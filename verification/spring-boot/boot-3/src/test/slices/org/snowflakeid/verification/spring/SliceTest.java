// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.orm.jpa.DataJpaTest;

/** A test of entities alone has the generators too. */
@DataJpaTest(properties = {"snowflake.coordinator=memory", "snowflake.claim-at-start=default,orders"})
class SliceTest {

    @Autowired
    Purchases purchases;

    @Test
    void entitiesHaveIds() {
        assertThat(purchases.saveAndFlush(new Purchase("tea")).id).isPositive();
    }
}
