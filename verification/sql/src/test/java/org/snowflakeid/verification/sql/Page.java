// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.sql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** A page of the documentation. */
record Page(String text) {

    static Page read(String name) throws IOException {
        return new Page(Files.readString(Path.of("../../docs", name)));
    }

    /** The part below that heading, up to the next one. */
    Page section(String heading) {
        String after = text.substring(text.indexOf("\n## " + heading + "\n") + 1);
        int end = after.indexOf("\n## ", 1);
        return new Page(end < 0 ? after : after.substring(0, end));
    }

    /** What is in the blocks of that language. */
    List<String> blocks(String language) {
        return Pattern.compile("^```" + language + "\\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(text)
                .results()
                .map(block -> block.group(1))
                .toList();
    }
}
