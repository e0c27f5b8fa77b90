// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

/**
 * Gives worker ids back if the process is told to end while its container starts. Helidon, for example, does not hear of that before its
 * port is open, and the worker ids would stay held until their windows end.
 */
final class StopWhileStarting {

    private final Thread hook;

    StopWhileStarting(Runnable release) {
        hook = new Thread(release, "snowflake-stop-while-starting");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** From now on the container hears of it. */
    void end() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException stopping) {
            // It runs already.
        }
    }
}
