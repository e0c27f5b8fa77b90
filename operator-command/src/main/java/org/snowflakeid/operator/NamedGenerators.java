// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The generators that settings name. An application may have more: its code names them, and variables do. */
final class NamedGenerators {

    private static final Pattern KEY = Pattern.compile("snowflake\\.generators\\.([^.]+)\\..+");

    private NamedGenerators() {}

    /** @param claimedAtStart the value of snowflake.claim-at-start; null if it is not set */
    static Set<String> in(Set<String> keys, @Nullable String claimedAtStart) {
        Set<String> names = new TreeSet<>();
        keys.forEach(key -> {
            Matcher matcher = KEY.matcher(key);
            if (matcher.matches()) {
                names.add(matcher.group(1));
            }
        });
        if (claimedAtStart != null) {
            Arrays.stream(claimedAtStart.split(",")).map(String::strip).forEach(names::add);
        }
        return names;
    }
}
