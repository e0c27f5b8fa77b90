// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SignOfLifeTest {
    @TempDir
    private Path folder;

    // a file for each attempt to start was left there, until the disk had no room for another
    @Test
    void leavesNoFileWhereLocksFail() throws IOException {
        try (SignOfLife sign = new SignOfLife(folder, channel -> {
            throw new IOException("No locks available");
        })) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(sign::name).hasMessage("No locks available");
            }

            assertThat(folder).isEmptyDirectory();
        }
    }

    @Test
    void leavesNoFileThatAnotherProcessHasLocked() throws IOException {
        AtomicInteger attempts = new AtomicInteger();
        try (SignOfLife sign = new SignOfLife(folder, channel -> attempts.incrementAndGet() > 2)) {
            String name = sign.name();

            assertThat(NamespaceFolder.list(folder)).containsExactly(folder.resolve(name));
            assertThat(sign.name()).isEqualTo(name);
        }
        assertThat(folder).isEmptyDirectory();
    }
}
