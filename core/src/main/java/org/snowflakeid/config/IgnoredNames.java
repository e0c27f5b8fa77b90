// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What {@code snowflake.ignore} leaves to other software: keys and environment variables, by any of their names. */
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

    /** Whether this is the value of other software's environment variable, named like one of our keys. A value under the key itself is ours. */
    boolean hide(String key, String value) {
        return contain(key) && value.equals(lookup.apply(EnvironmentVariable.of(key)));
    }
}
