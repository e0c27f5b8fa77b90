// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import java.time.Duration;
import java.util.Optional;
import org.snowflakeid.config.Key;

/**
 * How long a call to the servers may take, if that is less than core allows: the same key for all coordinators.
 *
 * @param longest empty: as long as core allows
 */
public record CallTimeout(Optional<Duration> longest) {

    /** @param name such as {@code snowflake.etcd.call-timeout} */
    public static Key<Duration> key(String name) {
        return Key.duration(name, "PT0.1S", "PT1M")
                .otherwise("what the window allows")
                .meaning("Upper bound of one call.");
    }

    /** The shorter of what the caller and the settings allow. */
    public Duration of(Duration granted) {
        return longest.filter(set -> set.compareTo(granted) < 0).orElse(granted);
    }
}
