// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
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

    @Test
    void firstTickAboveAnotherLayoutIsTheLeastWhoseIdsAreAllGreater() {
        for (SnowflakeLayout other : new SnowflakeLayout[] {
            SnowflakeLayout.STANDARD,
            new SnowflakeLayout(Instant.EPOCH, 5, 9),
            new SnowflakeLayout(Instant.EPOCH, 20, 3),
            new SnowflakeLayout(Instant.EPOCH, 1, 1)
        }) {
            long last = SnowflakeLayout.STANDARD.lastTick();
            for (long tick : new long[] {0, 1, 2, 1023, 217_402_605_123L, last - 1, last}) {
                int shift = SnowflakeLayout.STANDARD.workerIdBits() + SnowflakeLayout.STANDARD.sequenceBits();
                int otherShift = other.workerIdBits() + other.sequenceBits();

                long first = other.firstTickAbove(SnowflakeLayout.STANDARD, tick);

                BigInteger bound = BigInteger.valueOf(tick).shiftLeft(shift);
                assertThat(BigInteger.valueOf(first).shiftLeft(otherShift)).isGreaterThanOrEqualTo(bound);
                if (first > 0) {
                    assertThat(BigInteger.valueOf(first - 1).shiftLeft(otherShift))
                            .isLessThan(bound);
                }
            }
        }
    }

    @Test
    void noFirstTickAboveAFormerTickThatIsNone() {
        SnowflakeLayout other = new SnowflakeLayout(Instant.EPOCH, 20, 20);

        for (long tick : new long[] {-1, Long.MIN_VALUE, layout.lastTick() + 1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> other.firstTickAbove(layout, tick))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("tick " + tick + " is not between 0 and " + layout.lastTick());
        }
        assertThat(other.firstTickAbove(layout, layout.lastTick())).isEqualTo(other.lastTick() + 1);
    }
}
