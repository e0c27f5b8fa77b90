// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.time.Duration;
import java.util.Locale;

/**
 * Something that is done, and when.
 *
 * @param at since all processes of the chapter had their first id
 * @param instance to whom; empty: to the coordinator
 * @param millis how wrong the clock is from now on; else 0
 */
record Event(Duration at, Kind kind, String instance, long millis) implements Comparable<Event> {

    enum Kind {
        START("is started"),
        KILL("is killed (SIGKILL)"),
        PAUSE("is paused (SIGSTOP)"),
        RESUME("goes on (SIGCONT)"),
        SET_CLOCK("has its clock set"),
        FREEZE_COORDINATOR("the coordinator is frozen (SIGSTOP)"),
        THAW_COORDINATOR("the coordinator goes on (SIGCONT)"),
        WIPE_COORDINATOR("the coordinator is killed, loses all data, and is started again");

        private final String text;

        Kind(String text) {
            this.text = text;
        }
    }

    static Event of(double seconds, Kind kind, String instance) {
        return new Event(Duration.ofMillis(Math.round(seconds * 1000)), kind, instance, 0);
    }

    static Event clock(double seconds, String instance, long millis) {
        return new Event(Duration.ofMillis(Math.round(seconds * 1000)), Kind.SET_CLOCK, instance, millis);
    }

    boolean atCoordinator() {
        return instance.isEmpty();
    }

    @Override
    public int compareTo(Event other) {
        return at.compareTo(other.at);
    }

    @Override
    public String toString() {
        String clock = millis == 0 ? " right" : " wrong by " + millis + " ms";
        return String.format(
                Locale.ROOT,
                "%.2f s: %s%s",
                at.toMillis() / 1000.0,
                atCoordinator() ? kind.text : instance + " " + kind.text,
                kind == Kind.SET_CLOCK ? clock : "");
    }
}
