// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.util.List;
import java.util.Set;
import org.snowflakeid.config.SnowflakeKeys;

/** Passwords and tokens among the keys that are typed. */
final class TypedSecrets {

    private TypedSecrets() {}

    static boolean isSecret(String key) {
        return SnowflakeKeys.all(TypedSecrets.class.getClassLoader()).stream()
                .anyMatch(known -> known.isSecret() && known.name().equals(key));
    }

    /** A sentence for each that is one. */
    static List<String> warnings(Set<String> typed) {
        return typed.stream()
                .filter(TypedSecrets::isSecret)
                .sorted()
                .map(key -> key + " is typed: other users of this machine may see it in the list of processes, and the"
                        + " shell may keep it. Give it by a file of --settings, or by the environment.")
                .toList();
    }
}
