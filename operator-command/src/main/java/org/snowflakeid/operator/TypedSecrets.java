// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.operator.audit.AuditedDatabase;

/** Passwords and tokens among the keys that are typed. */
final class TypedSecrets {

    private TypedSecrets() {}

    static boolean isSecret(String key) {
        return SnowflakeKeys.all(TypedSecrets.class.getClassLoader()).stream()
                .anyMatch(known -> known.isSecret() && known.name().equals(key));
    }

    /** A sentence for each that is one, or holds one. */
    static List<String> warnings(Map<String, String> typed) {
        return new TreeMap<>(typed)
                .entrySet().stream()
                        .flatMap(entry -> exposed(entry.getKey(), entry.getValue()).stream())
                        .map(what -> what + ": other users of this machine may see it in the list of processes, and the"
                                + " shell may keep it. Give it by a file of --settings, or by the environment.")
                        .toList();
    }

    private static Optional<String> exposed(String key, String value) {
        if (isSecret(key)) {
            return Optional.of(key + " is typed");
        }
        return AuditedDatabase.holdsPassword(value) ? Optional.of(key + " holds a password") : Optional.empty();
    }
}
