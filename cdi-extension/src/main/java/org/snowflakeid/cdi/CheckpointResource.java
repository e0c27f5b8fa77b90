// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import org.crac.Context;
import org.crac.Core;
import org.crac.Resource;
import org.snowflakeid.LeasedSnowflake;

/** Has a generator told of checkpoints of its process. Loaded only where {@link OptionalApi#CRAC} is present. */
final class CheckpointResource implements Resource {

    private final LeasedSnowflake ids;

    private CheckpointResource(LeasedSnowflake ids) {
        this.ids = ids;
    }

    /** @return to be kept for as long as the generator is: the JVM only has a weak reference to it */
    static Object register(LeasedSnowflake ids) {
        CheckpointResource resource = new CheckpointResource(ids);
        Core.getGlobalContext().register(resource);
        return resource;
    }

    @Override
    public void beforeCheckpoint(Context<? extends Resource> context) {
        ids.beforeCheckpoint();
    }

    @Override
    public void afterRestore(Context<? extends Resource> context) {
        ids.afterRestore();
    }
}
