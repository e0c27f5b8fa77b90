// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import jdk.jfr.FlightRecorder;
import org.snowflakeid.SnowflakeEvent;

/** Passes events to a recording of JFR, if there is one, and if the JDK has the module jdk.jfr, which a small image made by jlink may lack. */
final class FlightRecording {

    private static final boolean PRESENT = isPresent();

    private FlightRecording() {}

    private static boolean isPresent() {
        try {
            return Class.forName("jdk.jfr.Event", false, FlightRecording.class.getClassLoader()) != null;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** Whether a recording wants to know when ids stop. */
    static boolean isOn() {
        return isRecorded() && FlightEvents.areWanted();
    }

    static void add(SnowflakeEvent event) {
        if (isRecorded()) {
            FlightEvents.add(event);
        }
    }

    static void addFailure(String generator, String reason) {
        if (isRecorded()) {
            FlightEvents.addFailure(generator, reason);
        }
    }

    /** Loading the classes of events starts JFR, which costs a process that records nothing 0.15 s of processor time. */
    private static boolean isRecorded() {
        return PRESENT && FlightRecorder.isInitialized();
    }
}
