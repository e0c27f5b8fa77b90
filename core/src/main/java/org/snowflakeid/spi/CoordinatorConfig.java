// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What a coordinator is opened with.
 *
 * @param generator the generator's name, for messages
 * @param namespace without leading or trailing slash, such as {@code snowflake/orders}
 * @param timeToLive of owner entries: the window
 * @param settings looks up a configuration key by exact name; null if it is not set
 * @param resources what the application has, such as data sources
 */
public record CoordinatorConfig(
        String generator,
        String namespace,
        Duration timeToLive,
        Function<String, @Nullable String> settings,
        Resources resources) {

    /** Without resources of an application. */
    public CoordinatorConfig(
            String generator, String namespace, Duration timeToLive, Function<String, @Nullable String> settings) {
        this(generator, namespace, timeToLive, settings, Resources.NONE);
    }

    /** The trimmed value of a key; empty if it is not set or blank. */
    public Optional<String> value(String key) {
        return Optional.ofNullable(settings.apply(key)).map(String::strip).filter(v -> !v.isEmpty());
    }

    /** See {@link Resources#find}. */
    public <T> Optional<T> resource(Class<T> type, @Nullable String name) {
        return resources.find(type, name);
    }
}
