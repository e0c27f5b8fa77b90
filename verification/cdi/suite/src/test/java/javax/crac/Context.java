// SPDX-License-Identifier: Apache-2.0
package javax.crac;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** As a JDK with checkpoints has it: what was registered last is told first of a checkpoint, and last of a restore. */
public final class Context<R extends Resource> {

    private final Deque<R> resources = new ArrayDeque<>();

    public void register(R resource) {
        resources.push(resource);
    }

    void checkpointRestore() throws CheckpointException, RestoreException {
        List<R> told = new ArrayList<>(resources);
        CheckpointException refused = new CheckpointException();
        for (R each : told) {
            try {
                each.beforeCheckpoint(this);
            } catch (Exception e) {
                refused.addSuppressed(e);
            }
        }
        RestoreException failed = new RestoreException();
        for (int i = told.size() - 1; i >= 0; i--) {
            try {
                told.get(i).afterRestore(this);
            } catch (Exception e) {
                failed.addSuppressed(e);
            }
        }
        if (refused.getSuppressed().length > 0) {
            throw refused;
        }
        if (failed.getSuppressed().length > 0) {
            throw failed;
        }
    }
}
