// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecorderTest {

    @TempDir
    private Path directory;

    @Test
    void anInterruptedThreadLosesNothingItGot() throws IOException {
        Path file = directory.resolve("w00.ids");
        int records = 10_000;
        try (Recorder recorder = new Recorder(file, 0, 0, 0, new SteppedPlatform())) {
            Thread.currentThread().interrupt();
            long now = System.nanoTime();
            for (int i = 0; i < records; i++) {
                // Apart, so that each is a record of its own.
                recorder.add(1000L * i, now, now);
            }
        }

        assertThat(Thread.interrupted()).isTrue();
        assertThat(Files.size(file)).isGreaterThanOrEqualTo((long) records * Recorder.RECORD_BYTES);
    }

    @Test
    void anInterruptedThreadCanBegin() throws IOException {
        Path file = directory.resolve("w00.ids");
        Thread.currentThread().interrupt();
        try (Recorder recorder = new Recorder(file, 0, 0, 0, new SteppedPlatform())) {
            recorder.add(1, System.nanoTime(), System.nanoTime());
        }

        assertThat(Thread.interrupted()).isTrue();
        assertThat(Files.size(file)).isEqualTo(3L * Recorder.RECORD_BYTES);
    }
}
