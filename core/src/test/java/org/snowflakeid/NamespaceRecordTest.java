// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.records.NamespaceState;
import org.snowflakeid.spi.Stored;

class NamespaceRecordTest {

    private static final String CREATED =
            NamespaceRecord.create("one", SnowflakeLayout.STANDARD, Duration.ofMinutes(1), 7, Instant.EPOCH);

    private static NamespaceRecord parse(String value) {
        return NamespaceRecord.parse(new Stored(value, 0));
    }

    @Test
    void eachStepOfAMoveCanBeReadAgain() {
        NamespaceRecord active = parse(CREATED + " colour=blue");
        NamespaceRecord retired = parse(active.retired("etcd:ids", "two"));
        NamespaceRecord moved = parse(retired.moved("two"));
        NamespaceRecord reserved = parse(NamespaceRecord.reserved(CREATED.replace("id=one", "id=two"), "one"));
        NamespaceRecord inUse = parse(reserved.inUse(Duration.ofMinutes(2), 9));

        assertThat(active.state()).isEqualTo(NamespaceState.ACTIVE);
        assertThat(retired.state()).isEqualTo(NamespaceState.MOVING);
        assertThat(retired.movedTo()).contains("etcd:ids");
        assertThat(moved.state()).isEqualTo(NamespaceState.MOVED);
        assertThat(moved.successor()).contains("two");
        assertThat(moved.stored().value()).contains("colour=blue");
        assertThat(reserved.state()).isEqualTo(NamespaceState.RESERVED);
        assertThat(reserved.floor()).isEqualTo(7);
        assertThat(inUse.state()).isEqualTo(NamespaceState.ACTIVE);
        assertThat(inUse.id()).isEqualTo("two");
        assertThat(inUse.replaces()).contains("one");
        assertThat(inUse.floor()).isEqualTo(9);
        assertThat(inUse.maxWindow()).isEqualTo(Duration.ofMinutes(2));
    }

    @Test
    void whatIsRestoredAfterAMoveThatIsLostSaysNothingOfThatMove() {
        NamespaceRecord moving = parse(parse(CREATED + " colour=blue").retired("etcd:ids", "two"));

        NamespaceRecord restoring = parse(moving.retired());
        NamespaceRecord restored = parse(restoring.restored("three", Duration.ofMinutes(1), 9));

        assertThat(restoring.state()).isEqualTo(NamespaceState.RESTORING);
        assertThat(restored.state()).isEqualTo(NamespaceState.ACTIVE);
        assertThat(restored.replaces()).contains("one");
        assertThat(restored.stored().value())
                .contains("id=three", "colour=blue")
                .doesNotContain("two", "etcd:ids");
    }

    @ParameterizedTest
    @CsvSource({
        "floor=7, floor=-1, floor=-1 is not between 0 and 2199023255551",
        "floor=7, floor=2199023255552, is not between 0 and 2199023255551",
        "floor=7, floor=9223372036854775808, 9223372036854775808",
        "max-window=PT1M, max-window=PT0S, is not more than PT0S",
        "max-window=PT1M, max-window=PT-1M, is not more than PT0S",
        "max-window=PT1M, max-window=PT24H0.001S, at most PT24H",
        "max-window=PT1M, max-window=PT2562047788015215H, at most PT24H",
        "max-window=PT1M, max-window=P999999999999999D, Duration",
        "epoch=2020, epoch=1969, is not between 1970 and 9999",
        "epoch=2020, epoch=+12020, is not between 1970 and 9999",
        "worker-id-bits=10, worker-id-bits=4294967306, integer overflow",
        "worker-id-bits=10, worker-id-bits=0, is 0",
        "state=active, state=asleep, state=asleep is unknown",
        "state=active, state=active successor=two, contradicts",
        "state=active, state=active moved-to=etcd:ids, contradicts",
        "state=active, state=reserved, 'replaces' is missing",
        "state=active, state=moved, 'successor' is missing",
        "format=1, format=2, format 2 is not 1"
    })
    void whatIsAbsurdIsUnreadable(String written, String edited, String reason) {
        String value = CREATED.replace(written, edited);

        assertThat(value).isNotEqualTo(CREATED);
        assertThatThrownBy(() -> parse(value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }
}
