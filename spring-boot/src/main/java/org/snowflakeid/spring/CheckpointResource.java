// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.util.Collection;
import org.crac.Context;
import org.crac.Core;
import org.crac.Resource;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;

/**
 * Has the generators of a context told of checkpoints of its process. Not a {@code Lifecycle}: what its {@code stop()} throws Spring logs, and no
 * checkpoint is refused for it. Spring stops its own lifecycle beans, such as a web server, before this is asked, and starts them after it,
 * since it registers later. Loaded only where org.crac is present.
 */
final class CheckpointResource implements Resource {

    static final String CRAC = "org.crac.Resource";

    private final Collection<LeasedSnowflake> open;

    private CheckpointResource(Collection<LeasedSnowflake> open) {
        this.open = open;
    }

    /**
     * @param open the generators, those of later too
     * @return to be kept for as long as they are: the JVM only has a weak reference to it
     */
    static Object register(Collection<LeasedSnowflake> open) {
        CheckpointResource resource = new CheckpointResource(open);
        Core.getGlobalContext().register(resource);
        return resource;
    }

    @Override
    public void beforeCheckpoint(Context<? extends Resource> context) {
        // Where one refuses, no checkpoint is made, and the others are asked to go on.
        open.forEach(LeasedSnowflake::beforeCheckpoint);
    }

    @Override
    public void afterRestore(Context<? extends Resource> context) {
        SnowflakeException failure = null;
        for (LeasedSnowflake ids : open) {
            try {
                ids.afterRestore();
            } catch (SnowflakeException e) {
                // The others have to claim all the same.
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
