// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spi;

import java.util.List;
import org.snowflakeid.config.Key;

/** Makes a coordinator available under a name. Found by {@link java.util.ServiceLoader}. */
public interface WorkerCoordinatorProvider {

    /** The value of {@code snowflake.coordinator} that selects it, such as {@code etcd}. */
    String name();

    /**
     * Whether it is used only when {@code snowflake.coordinator} names it, and never counted among the coordinators on the
     * class path.
     */
    default boolean onlyByName() {
        return false;
    }

    /** Whether several processes use one namespace through it. If not, its worker ids are fixed by settings, and nothing is kept. */
    default boolean isShared() {
        return true;
    }

    /**
     * All keys below {@code snowflake.<name>.} that {@link #open} reads, for the docs and the operator's command. Other keys set there are refused as
     * misspelt. Empty: not declared, and keys set there are not checked.
     */
    default List<Key<?>> keys() {
        return List.of();
    }

    /**
     * Checks its own settings and returns without having called the server: connecting belongs to the first operation.
     *
     * @param lossHint to be called, from any thread, when an owner entry may have been lost. Early, late, repeated and missing
     *     calls are all harmless; it returns at once
     * @throws org.snowflakeid.InvalidSettingsException if a setting is missing or wrong
     */
    WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint);
}
