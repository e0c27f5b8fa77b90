// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.snowflakeid.config.Key;
import org.snowflakeid.spi.CoordinatorConfig;

class MemoryCoordinatorProviderTest {

    @Test
    void declaresTheKeysThatItReads() {
        Set<String> read = new TreeSet<>();
        CoordinatorConfig config = new CoordinatorConfig("default", "snowflake", Duration.ofSeconds(60), key -> {
            read.add(key);
            return null;
        });
        MemoryCoordinatorProvider provider = new MemoryCoordinatorProvider();

        provider.open(config, () -> {}).close();

        // Core asks it of each value, to know whose that is.
        read.remove("snowflake.ignore");
        assertThat(provider.keys()).extracting(Key::name).containsExactlyInAnyOrderElementsOf(read);
    }
}
