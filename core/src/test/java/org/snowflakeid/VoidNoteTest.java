// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.Stage.Actor;

/** A coordinator lost data, and a start is shown so before it can't reach it any more. */
class VoidNoteTest {

    private final Stage stage = new Stage();
    private final Actor a = stage.process();
    private final Actor aAgain = stage.processOnHostOf(a);
    private final Actor b = stage.process();

    // a start that had seen that the coordinator lost its data took over what had been noted of it before
    @ParameterizedTest
    @ValueSource(strings = {"another namespace", "none", "old data"})
    void whatTheStartWasShownMakesANoteVoid(String shown) {
        stage.keys.putAll(Map.of(
                "snowflake.resume.directory", "/resume",
                "snowflake.window", "PT60S",
                "snowflake.startup-timeout", "PT90S"));
        a.open();
        FakeStore.Backup backup = stage.store.backup();
        stage.sleep(Duration.ofSeconds(60));
        a.crash();
        if (shown.equals("old data")) {
            stage.store.restore(backup);
        } else {
            stage.store.wipe();
        }
        if (shown.equals("another namespace")) {
            b.open();
        }
        stage.sleep(Duration.ofSeconds(6));
        // One answer comes, and then none.
        aAgain.wire.reads = seen -> {
            aAgain.wire.cut = true;
            return seen;
        };

        try (LogLines log = new LogLines()) {
            aAgain.startOpening();

            assertThat(aAgain.awaitRefusal()).isInstanceOf(CoordinatorException.class);
            assertThat(log.all()).anyMatch(line -> line.contains("is not taken over: at this start the coordinator"));
        }
    }
}
