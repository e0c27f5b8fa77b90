// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The generators that keys of settings name. An application may have more: its code names them, and variables do. */
final class NamedGenerators {

    private static final Pattern KEY = Pattern.compile("snowflake\\.generators\\.([^.]+)\\..+");

    private NamedGenerators() {}

    static Set<String> in(Collection<String> keys) {
        Set<String> names = new TreeSet<>();
        keys.forEach(key -> {
            Matcher matcher = KEY.matcher(key);
            if (matcher.matches()) {
                names.add(matcher.group(1));
            }
        });
        return names;
    }
}
