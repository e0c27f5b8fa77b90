// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import jdk.jfr.FlightRecorder;
import org.snowflakeid.SnowflakeEvent;

/**
 * What a recording of JFR is told of generators: nothing while there is none, and nothing where the JDK has no module jdk.jfr, as in a
 * small image made by jlink.
 */
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

    /** To load the classes of events starts JFR, which costs a process that records nothing 0.15 s of processor time. */
    private static boolean isRecorded() {
        return PRESENT && FlightRecorder.isInitialized();
    }
}
