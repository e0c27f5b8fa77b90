// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.models;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How a model ends, expected or seen. */
sealed interface Result {

    /** Everything that can happen was looked at, and every invariant held. */
    record Holds(long distinctStates) implements Result {
        @Override
        public String toString() {
            return "holds, " + String.format("%,d", distinctStates) + " states";
        }
    }

    /** @param steps of the shortest way there; the initial state is none */
    record Broken(String invariant, int steps) implements Result {
        @Override
        public String toString() {
            return invariant + " broken in " + steps + " steps";
        }
    }

    /** Neither: a spec that can't be read, a deadlock, a failed evaluation, no memory, no time. */
    record Unfinished(String reason) implements Result {
        @Override
        public String toString() {
            return "unfinished: " + reason;
        }
    }

    /** @throws IllegalArgumentException if it is neither a {@link Holds} nor a {@link Broken} */
    static Result parse(String text) {
        Matcher holds = Pattern.compile("holds, ([\\d,]+) states").matcher(text);
        if (holds.matches()) {
            return new Holds(Long.parseLong(holds.group(1).replace(",", "")));
        }
        Matcher broken = Pattern.compile("(\\w+) broken in (\\d+) steps").matcher(text);
        if (broken.matches()) {
            return new Broken(broken.group(1), Integer.parseInt(broken.group(2)));
        }
        throw new IllegalArgumentException(
                "'" + text + "' is neither 'holds, N states' nor 'Invariant broken in N steps'");
    }
}
