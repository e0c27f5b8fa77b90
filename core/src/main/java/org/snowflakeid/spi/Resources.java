// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the application around a generator already has and a coordinator may use, such as its data sources. What is found belongs to the
 * application: a coordinator does not close it.
 */
public interface Resources {

    /** There are none. */
    Resources NONE = new Resources() {
        @Override
        public <T> Optional<T> find(Class<T> type, @Nullable String name) {
            return Optional.empty();
        }
    };

    /**
     * Looks a resource up. Called while a generator is opened, on the thread that opens it, since other threads may have no naming context.
     *
     * @param name as the application calls it; null: the default one
     * @return empty if there is none
     * @throws org.snowflakeid.InvalidSettingsException if several could be meant, or if it exists but can't be obtained; the message says what to do
     */
    <T> Optional<T> find(Class<T> type, @Nullable String name);
}
