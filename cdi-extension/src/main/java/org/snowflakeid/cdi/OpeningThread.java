// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;

/**
 * Where generators are opened: on a thread that has inherited nothing. Whoever looks one up first may do so in a request, whose user
 * may stand in an inheritable thread-local, and the generator's threads would keep that for as long as they live.
 */
final class OpeningThread {

    private OpeningThread() {}

    /** As if it were opened here: fails with the same exception, and ends if the calling thread is interrupted. */
    static LeasedSnowflake open(String generator, Supplier<LeasedSnowflake> opening) {
        FutureTask<LeasedSnowflake> task = new FutureTask<>(opening::get);
        Thread thread = new Thread(null, task, "snowflake-" + generator + "-opening", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
        thread.start();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                    thread.interrupt();
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SnowflakeException failure) {
                throw failure;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
