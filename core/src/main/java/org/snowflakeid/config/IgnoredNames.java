// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What {@code snowflake.ignore} leaves to other software: keys, and environment variables, each by whichever name. */
final class IgnoredNames {
    private final Function<String, @Nullable String> lookup;
    private final Pattern names;

    /** @param lookup a value by exact key; null if it is not set */
    IgnoredNames(Function<String, @Nullable String> lookup) {
        this.lookup = lookup;
        this.names = pattern(lookup.apply(SnowflakeKeys.IGNORE.name()));
    }

    private static Pattern pattern(@Nullable String list) {
        List<String> alternatives = new ArrayList<>();
        for (String entry : list == null ? new String[0] : list.split(",")) {
            String name = EnvironmentVariable.of(entry.strip());
            boolean all = entry.strip().endsWith("*");
            alternatives.add(all ? Pattern.quote(name.substring(0, name.length() - 1)) + ".*" : Pattern.quote(name));
        }
        return Pattern.compile(String.join("|", alternatives));
    }

    /** @param name of a key or a variable */
    boolean contain(String name) {
        return names.matcher(EnvironmentVariable.of(name)).matches();
    }

    /**
     * Whether this is the value of a variable of other software that has the name of one of our keys. What is written under the key itself
     * was written for us.
     */
    boolean hide(String key, String value) {
        return contain(key) && value.equals(lookup.apply(EnvironmentVariable.of(key)));
    }
}
