// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Lines of CSV, as RFC 4180 has them. */
public final class Csv {

    private Csv() {}

    /** Without the end of the line. */
    public static String line(Object... values) {
        return Arrays.stream(values).map(String::valueOf).map(Csv::quoted).collect(Collectors.joining(","));
    }

    private static String quoted(String value) {
        return value.matches("[^\",\n\r]*") ? value : '"' + value.replace("\"", "\"\"") + '"';
    }
}
