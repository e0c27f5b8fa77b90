// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The log of the simulated processes: it goes only into the trace, and the simulation sees the warnings. */
final class SimulationLog extends Handler implements AutoCloseable {

    private static final Logger LOGGER = Logger.getLogger("org.snowflakeid");

    private final Simulation run;

    SimulationLog(Simulation run) {
        this.run = run;
    }

    /** Until {@link #close} all log messages belong to this run. There is one run at a time. */
    void begin() {
        LOGGER.setUseParentHandlers(false);
        LOGGER.setLevel(run.traced() ? Level.INFO : Level.WARNING);
        LOGGER.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
        if (run.traced()) {
            Throwable thrown = line.getThrown();
            run.note("log: " + line.getMessage() + (thrown == null ? "" : " (" + thrown + ")"));
        }
        if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
            run.warned(line.getMessage());
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOGGER.removeHandler(this);
        LOGGER.setLevel(null);
        LOGGER.setUseParentHandlers(true);
    }
}
