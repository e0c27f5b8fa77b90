// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;

class PasswordKeysTest {
    private static final PasswordKeys KEYS = new PasswordKeys(
            Key.text("snowflake.test.user").meaning("User."),
            Key.secret("snowflake.test.password", "text").meaning("Password."),
            Key.file("snowflake.test.password-file").meaning("File."));

    @TempDir
    private Path directory;

    @Test
    void readsThePasswordFromItsFileAnewWithItsBlanksAndWithoutTheLastLineEnd() throws IOException {
        Path file = Files.writeString(directory.resolve("password"), " a b \r\n");
        Map<String, String> keys = Map.of("snowflake.test.password-file", file.toString());
        Credentials credentials = KEYS.credentials(new SettingsReader("orders", keys::get));

        assertThat(credentials.passwordNow("orders")).isEqualTo(" a b ");
        Files.writeString(file, "c\n\n");
        assertThat(credentials.passwordNow("orders")).isEqualTo("c\n");
        Files.writeString(file, "\n");
        assertThatThrownBy(() -> credentials.passwordNow("orders"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("snowflake.test.password-file=" + file + " is empty");
    }
}
