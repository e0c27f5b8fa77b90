// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import java.util.Locale;

/** How the environment variable of a key is named, by the rules of MicroProfile Config. */
public final class EnvironmentVariable {

    private EnvironmentVariable() {}

    /** {@code SNOWFLAKE_CLOCK_MAX_SKEW} for {@code snowflake.clock.max-skew}. Several keys may have the same. */
    public static String of(String key) {
        return withUnderscores(key).toUpperCase(Locale.ROOT);
    }

    /** The name that is tried before the one in capitals: {@code snowflake_clock_max_skew}. */
    public static String withUnderscores(String key) {
        return key.replaceAll("[^A-Za-z0-9]", "_");
    }
}
