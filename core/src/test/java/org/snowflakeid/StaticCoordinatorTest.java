// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snowflakeid.config.StaticCoordinatorProvider;

/** A worker id that no coordinator guards, and a process that is restarted at once. The clock is right throughout. */
class StaticCoordinatorTest {

    private final Stage stage = Stage.ofDefaults(1);
    private final Stage.Actor process = stage.process();
    private final Map<String, String> keys = new HashMap<>(Map.of(
            "snowflake.coordinator", "static",
            "snowflake.static.worker-id", "7",
            "snowflake.sequence-bits", "4"));

    private LeasedSnowflake open() {
        return LeasedSnowflake.open(SnowflakeSettings.of(Map.copyOf(keys)), new StaticCoordinatorProvider(), process);
    }

    // they were ignored without a word
    @Test
    void saysWhichSettingsHaveNoEffect() {
        keys.put("snowflake.worker-ids", "0-511");
        keys.put("snowflake.startup-ahead", "PT5S");
        try (LogLines log = new LogLines()) {
            open().close();

            assertThat(log.all())
                    .contains(
                            "snowflake 'default': snowflake.worker-ids=0-511 has no effect with"
                                    + " snowflake.coordinator=static. Remove it.",
                            "snowflake 'default': snowflake.startup-ahead=PT5S has no effect with"
                                    + " snowflake.coordinator=static. Remove it.");
        }
    }

    // ids issued ahead of the clock were issued again
    @Test
    void aProcessThatIsRestartedAfterABurstIssuesNothingAgain() {
        keys.put("snowflake.burst", "PT2S");
        Set<Long> issued = new HashSet<>();
        for (int run = 0; run < 4; run++) {
            LeasedSnowflake ids = open();
            for (int i = 0; i < 20_000; i++) {
                long id = ids.nextId();
                assertThat(issued.add(id))
                        .as("%s, in run %s", ids.layout().decode(id), run)
                        .isTrue();
                assertThat(ids.layout().decode(id).timestamp())
                        .isBeforeOrEqualTo(stage.world.trueTime().plusMillis(2001));
            }
            ids.close();
            stage.sleep(Duration.ofMillis(300));
        }
    }

    // within the same millisecond, and with an id that may begin ahead of the clock
    @ParameterizedTest
    @CsvSource({"PT0S, PT0S", "PT2S, PT0S", "PT0S, PT5S", "PT2S, PT5S", "PT5S, PT2S"})
    void aGeneratorThatIsOpenedAgainAtOnceIssuesNothingAgain(String burst, String startupAhead) {
        keys.put("snowflake.burst", burst);
        keys.put("snowflake.startup-ahead", startupAhead);
        Set<Long> issued = new HashSet<>();
        for (int run = 0; run < 20; run++) {
            LeasedSnowflake ids = open();
            for (int i = 0; i < 3; i++) {
                long id = ids.nextId();
                assertThat(issued.add(id))
                        .as("%s, in run %s", ids.layout().decode(id), run)
                        .isTrue();
            }
            ids.close();
        }
    }

    @Test
    void withoutABurstIdsBeginNow() {
        LeasedSnowflake ids = open();

        assertThat(ids.layout().decode(ids.nextId()).timestamp())
                .isBetween(stage.world.trueTime().minusMillis(20), stage.world.trueTime());
        ids.close();
    }
}
