// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;

/** Notes each id that it issues, in a journal of its own or on its output, until it is killed. */
final class Issuer {

    private Issuer() {}

    /** @param arguments the folder of the journals, or nothing for the output, and settings as {@code key=value} */
    // It writes to the output until it is killed.
    @SuppressWarnings("ClosingStandardOutputStreams")
    public static void main(String[] arguments) throws Exception {
        Map<String, String> keys = new HashMap<>();
        for (String each : Arrays.copyOfRange(arguments, 1, arguments.length)) {
            int equals = each.indexOf('=');
            keys.put(each.substring(0, equals), each.substring(equals + 1));
        }
        try (LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(keys));
                OutputStream out = arguments[0].isEmpty() ? System.out : journal(Path.of(arguments[0]))) {
            while (true) {
                try {
                    // One write, so that a line is whole or absent.
                    String lines = Arrays.stream(ids.nextIds(20))
                            .mapToObj(id -> id + "\n")
                            .collect(Collectors.joining());
                    out.write(lines.getBytes(StandardCharsets.UTF_8));
                    out.flush();
                } catch (SnowflakeException e) {
                    out.write(("refused " + e.getMessage() + "\n").getBytes(StandardCharsets.UTF_8));
                    return;
                }
                Thread.sleep(1);
            }
        }
    }

    private static OutputStream journal(Path folder) throws IOException {
        return new FileOutputStream(
                folder.resolve(Long.toString(ProcessHandle.current().pid())).toFile());
    }
}
