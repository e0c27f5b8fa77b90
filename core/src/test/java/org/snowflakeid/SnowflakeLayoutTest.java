// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class SnowflakeLayoutTest {

    private final SnowflakeLayout layout = SnowflakeLayout.STANDARD;

    @Test
    void decodesWhatItEncoded() {
        var parts = new IdParts(Instant.parse("2026-03-01T09:14:02.345Z"), 1023, 4095);

        long id = layout.encode(parts);

        assertThat(layout.decode(id)).isEqualTo(parts);
    }

    @Test
    void refusesPartsOutsideTheirBits() {
        var now = Instant.parse("2026-03-01T09:14:02.345Z");

        assertThatThrownBy(() -> layout.encode(new IdParts(now, 1024, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("worker id 1024 is not between 0 and 1023");
        assertThatThrownBy(() -> layout.encode(new IdParts(now, 0, 4096)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("sequence 4096 is not between 0 and 4095");
        assertThatThrownBy(() -> layout.encode(new IdParts(Instant.parse("2019-12-31T23:59:59.999Z"), 0, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not between the epoch");
    }
}
