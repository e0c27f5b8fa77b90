// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GeneratorsOnAPageTest {

    @ParameterizedTest
    @CsvSource({
        "/, q, /q/snowflake",
        "/shop, q, /shop/q/snowflake",
        "shop/, q/, /shop/q/snowflake",
        "/shop, /inner, /inner/snowflake",
        "/shop, /, /snowflake"
    })
    void theCardLeadsToThePage(String root, String frameworks, String address) {
        assertThat(GeneratorsOnAPage.address(root, frameworks)).isEqualTo(address);
    }
}
