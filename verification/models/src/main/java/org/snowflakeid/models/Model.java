// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.models;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A spec with one of its configurations and what must come out: a row of the README's table, the only place where that is said.
 *
 * @param small whether {@code bin/test} runs it
 * @param nightly whether {@code bin/test --all} does so besides
 */
record Model(String spec, String configuration, Result expected, boolean small, boolean nightly) {

    /** | `configuration` | spec | what it shows | expected | seconds | in `bin/test` | */
    private static final Pattern ROW = Pattern.compile(
            "^\\| `(\\w+)` \\| (\\w+) \\| [^|]+ \\| ([^|]+) \\| \\d+ \\| (yes|nightly|) ?\\|$", Pattern.MULTILINE);

    static List<Model> all(Path readme) throws IOException {
        List<Model> models = new ArrayList<>();
        Matcher row = ROW.matcher(Files.readString(readme));
        while (row.find()) {
            models.add(new Model(
                    row.group(2),
                    row.group(1),
                    Result.parse(row.group(3)),
                    row.group(4).equals("yes"),
                    row.group(4).equals("nightly")));
        }
        return models;
    }

    @Override
    public String toString() {
        return configuration;
    }
}
