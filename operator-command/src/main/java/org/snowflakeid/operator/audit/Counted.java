// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.util.Locale;

/** Numbers for people. */
final class Counted {

    private Counted() {}

    /** {@code 1 row}, {@code 12,345 rows}. */
    static String of(long count, String thing) {
        return String.format(Locale.ROOT, "%,d %s%s", count, thing, count == 1 ? "" : "s");
    }

    static String percent(long part, long whole) {
        return String.format(Locale.ROOT, "%.1f %%", whole == 0 ? 0.0 : 100.0 * part / whole);
    }
}
