// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

/** Does something if Ctrl-C, or the end of the machine, ends the process before this is closed. */
final class OnSignal implements AutoCloseable {

    private final Thread thread;

    OnSignal(Runnable act) {
        thread = new Thread(act, "operator-on-signal");
        Runtime.getRuntime().addShutdownHook(thread);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException e) {
            // It runs.
        }
    }
}
