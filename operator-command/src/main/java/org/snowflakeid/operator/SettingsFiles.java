// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Texts of files with settings. Each file is read once: a pipe can't be read again, and both ends of a move get the same. */
final class SettingsFiles {

    private final Map<Path, String> texts = new HashMap<>();

    String text(Path file) throws IOException {
        String text = texts.get(file);
        if (text == null) {
            text = Files.readString(file);
            texts.put(file, text);
        }
        return text;
    }
}
