// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SayingsTest {

    @TempDir
    private Path directory;

    @Test
    void countsWhatIsThrownAndWhatWarnsByKind() throws IOException {
        Path log = directory.resolve("a.log");
        Files.writeString(log, """
                INFO claimed worker id 3
                THREW java.lang.IllegalStateException: clock is 17 ms back
                THREW java.lang.IllegalStateException: clock is 3 ms back
                2026-01-01T10:00:00.000Z  WARN 17 --- [main] lost machine id 2
                SEVERE no connection
                NOT STARTED java.io.IOException: refused
                	at some.Stack.trace(ERROR)
                """);
        Sayings sayings = Sayings.of(List.of(new Life(Chapter.CALM, directory.resolve("a.ids"), log, 0, List.of())));
        assertThat(sayings.in(Chapter.CALM))
                .first()
                .isEqualTo(Map.entry("threw java.lang.IllegalStateException: clock is # ms back", 2L));
        assertThat(sayings.in(Chapter.CALM))
                .extracting(Map.Entry::getKey)
                .contains("logged SEVERE no connection", "did not start: java.io.IOException: refused")
                .anyMatch(line -> line.contains("lost machine id #"))
                .hasSize(4);
        assertThat(sayings.in(Chapter.WIPED)).isEmpty();
    }
}
