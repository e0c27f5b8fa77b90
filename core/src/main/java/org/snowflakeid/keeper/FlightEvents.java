// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.keeper;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.snowflakeid.SnowflakeEvent;

/** The events of JFR: those of {@link SnowflakeEvent} that mean trouble, and extensions that failed. */
@SuppressWarnings("unused") // JFR reads the fields.
final class FlightEvents {

    private FlightEvents() {}

    static boolean areWanted() {
        return new Suspended().isEnabled() || new Resumed().isEnabled();
    }

    static void add(SnowflakeEvent event) {
        if (event instanceof SnowflakeEvent.Suspended suspended) {
            Suspended recorded = new Suspended();
            recorded.generator = suspended.generator();
            recorded.workerId = suspended.workerId();
            recorded.reason = suspended.reason();
            recorded.commit();
        } else if (event instanceof SnowflakeEvent.Resumed resumed) {
            Resumed recorded = new Resumed();
            recorded.generator = resumed.generator();
            recorded.workerId = resumed.workerId();
            recorded.commit();
        } else if (event instanceof SnowflakeEvent.Swapped swapped) {
            Swapped recorded = new Swapped();
            recorded.generator = swapped.generator();
            recorded.previousWorkerId = swapped.previousWorkerId();
            recorded.workerId = swapped.workerId();
            recorded.commit();
        }
    }

    static void addFailure(String generator, String reason) {
        ExtensionFailed recorded = new ExtensionFailed();
        recorded.generator = generator;
        recorded.reason = reason;
        recorded.commit();
    }

    @Name("org.snowflakeid.Suspended")
    @Label("Ids Suspended")
    @Description("No ids can be issued")
    @Category("Snowflake ID")
    @StackTrace(false)
    private static final class Suspended extends Event {
        @Label("Generator")
        String generator = "";

        @Label("Worker Id")
        int workerId;

        @Label("Reason")
        String reason = "";
    }

    @Name("org.snowflakeid.Resumed")
    @Label("Ids Resumed")
    @Description("Ids can be issued again")
    @Category("Snowflake ID")
    @StackTrace(false)
    private static final class Resumed extends Event {
        @Label("Generator")
        String generator = "";

        @Label("Worker Id")
        int workerId;
    }

    @Name("org.snowflakeid.Swapped")
    @Label("Worker Id Swapped")
    @Description("Another worker id took the place of one in use, or the same one was claimed again")
    @Category("Snowflake ID")
    @StackTrace(false)
    private static final class Swapped extends Event {
        @Label("Generator")
        String generator = "";

        @Label("Previous Worker Id")
        int previousWorkerId;

        @Label("Worker Id")
        int workerId;
    }

    @Name("org.snowflakeid.ExtensionFailed")
    @Label("Extension Failed")
    @Description("The coordinator did not extend a worker id")
    @Category("Snowflake ID")
    @StackTrace(false)
    private static final class ExtensionFailed extends Event {
        @Label("Generator")
        String generator = "";

        @Label("Reason")
        String reason = "";
    }
}
