// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import org.snowflakeid.SnowflakeEvent;

/** What a recording of JFR is told of generators: nothing where the JDK has no module jdk.jfr, as in a small image made by jlink. */
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
        // Only here and below is a class loaded that needs JFR.
        return PRESENT && FlightEvents.areWanted();
    }

    static void add(SnowflakeEvent event) {
        if (PRESENT) {
            FlightEvents.add(event);
        }
    }

    static void addFailure(String generator, String reason) {
        if (PRESENT) {
            FlightEvents.addFailure(generator, reason);
        }
    }
}
