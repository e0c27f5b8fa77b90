// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.quarkus;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.Coordinators;
import org.snowflakeid.config.Key;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * The coordinator {@code memory} of {@code snowflake-testing}, where the application has it: the build lends it in dev mode and in tests. Where
 * it is missing, as in production, this one refuses to open. It is in the jar since no way to add a service file to an application works on
 * all versions of Quarkus.
 *
 * <p>An application that has {@code snowflake-testing} itself finds two providers of this name. It does not matter which one is taken.
 */
public final class LentMemoryCoordinatorProvider implements WorkerCoordinatorProvider {

    private static final String LENT = "org.snowflakeid.testing.MemoryCoordinatorProvider";

    /** Known where nothing reads it too, so that a misspelt one is refused in production as in a test. */
    private static final Key<String> STORE = Key.text("snowflake.memory.store")
            .standard("default")
            .meaning("In tests: applications that name the same store share it.");

    private final @Nullable WorkerCoordinatorProvider lent;

    /** For {@link java.util.ServiceLoader}. */
    public LentMemoryCoordinatorProvider() {
        lent = lent(Coordinators.loader());
    }

    private static @Nullable WorkerCoordinatorProvider lent(ClassLoader application) {
        try {
            return Class.forName(LENT, true, application)
                    .asSubclass(WorkerCoordinatorProvider.class)
                    .getConstructor()
                    .newInstance();
        } catch (ClassNotFoundException e) {
            return null;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(LENT, e);
        }
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    public List<Key<?>> keys() {
        return lent == null ? List.of(STORE) : lent.keys();
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        if (lent == null) {
            throw new InvalidSettingsException(List.of(
                    "snowflake '" + config.generator() + "': snowflake.coordinator=memory is there in dev mode and in"
                            + " tests only. For production add the artifact of another coordinator, such as"
                            + " snowflake-coordinator-etcd, and set snowflake.coordinator to its name, such as etcd."));
        }
        return lent.open(config, lossHint);
    }
}
