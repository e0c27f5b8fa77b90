// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseNamesTest {
    private static final Pattern NAME =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
    private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");

    @ParameterizedTest
    @CsvSource({
        "snowflake/meta, snowflake.meta",
        "snowflake/orders/marks/17, snowflake.orders.marks.17",
        "order-items/eu-1/meta, order-items.eu-1.meta",
        "Orders_EU/meta, z4frdersz5fz45z55.meta",
        "a.b/meta, az2eb.meta",
        "zoo/meta, z7aoo.meta",
        "a-/b/meta, az2d.b.meta",
    })
    void areReadableAndLegal(String key, String name) {
        assertThat(LeaseNames.name(key)).isEqualTo(name).matches(NAME);
    }

    @Test
    void ofTwoKeysAreNeverTheSame() {
        String characters = "aAzZ04-_./";
        Random random = new Random(17);
        Map<String, String> keys = new HashMap<>();
        for (int i = 0; i < 300_000; i++) {
            StringBuilder key = new StringBuilder("s");
            int length = random.nextInt(7);
            for (int j = 0; j < length; j++) {
                char c = characters.charAt(random.nextInt(characters.length()));
                key.append(c == '/' && key.charAt(key.length() - 1) == '/' ? 'a' : c);
            }
            String whole = key + "/meta";
            if (!whole.contains("//")) {
                String name = LeaseNames.name(whole);
                assertThat(name).matches(NAME);
                assertThat(keys.getOrDefault(name, whole)).isEqualTo(whole);
                keys.put(name, whole);
            }
        }
    }

    @Test
    void ofLongKeysFit() {
        String longest = "A".repeat(180);

        assertThat(LeaseNames.name(longest + "/marks/1023")).matches(NAME).hasSizeLessThanOrEqualTo(253);
        assertThat(LeaseNames.name(longest + "/marks/1023"))
                .isNotEqualTo(LeaseNames.name(longest + "/marks/1022"))
                .isNotEqualTo(LeaseNames.name("B".repeat(180) + "/marks/1023"));
        assertThat(LeaseNames.name("a".repeat(180) + "/marks/1023")).startsWith("aaaa");
    }

    @Test
    void labelsAreLegalAndTellNamespaceAndWorkerId() {
        assertThat(LeaseNames.labels("snowflake/orders/marks/17"))
                .containsEntry("app.kubernetes.io/managed-by", "snowflake-id")
                .containsEntry("snowflakeid.org/namespace", "snowflake.orders")
                .containsEntry("snowflakeid.org/worker-id", "17");
        assertThat(LeaseNames.labels("snowflake/meta"))
                .containsEntry("snowflakeid.org/namespace", "snowflake")
                .doesNotContainKey("snowflakeid.org/worker-id");
        for (String namespace : new String[] {"Orders_EU", "a-", "a_.", "a".repeat(180), "a/" + "b-".repeat(90)}) {
            assertThat(LeaseNames.labels(namespace + "/marks/1").values()).allMatch(LABEL.asMatchPredicate());
        }
    }
}
