// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.snowflakeid.administration.NamespaceReport;

/**
 * The clocks of this machine and of the coordinator, as of the moment of the coordinator's answer. The coordinator looked at its own
 * at some moment of the call, so that the difference is known to half the length of the call, and to what the coordinator rounds to.
 *
 * @param here this machine's, when the answer came
 * @param there what the coordinator's showed then, as far as is known
 */
record Clocks(Instant here, Optional<Instant> there, Duration resolution) {

    /** etcd reports its time in whole seconds. */
    private static final Duration ROUNDED = Duration.ofSeconds(1);

    /** @param asked this machine's clock when the coordinator was asked */
    static Clocks of(NamespaceReport report, Instant asked) {
        Duration call = Duration.between(asked, report.clock());
        // This machine's clock may have been set back meanwhile.
        Duration half = call.isNegative() ? Duration.ZERO : call.dividedBy(2);
        return new Clocks(report.clock(), report.coordinatorTime().map(time -> time.plus(half)), half.plus(ROUNDED));
    }

    Optional<Duration> difference() {
        return there.map(time -> Duration.between(here, time));
    }

    /** Empty if the coordinator reports no time. */
    Optional<Boolean> agree() {
        return difference().map(ahead -> ahead.abs().compareTo(resolution) <= 0);
    }

    String inWords() {
        if (there.isEmpty()) {
            return "here " + here + ", the coordinator reports no time: the one here is taken as right";
        }
        Duration ahead = difference().orElseThrow();
        if (agree().orElseThrow()) {
            return "here " + here + ", the coordinator's agrees (to " + seconds(resolution) + ")";
        }
        return "here " + here + ", coordinator " + there.orElseThrow() + ": " + seconds(ahead.abs())
                + (ahead.isNegative() ? " behind" : " ahead") + " (to " + seconds(resolution)
                + "). One of them is wrong";
    }

    private static String seconds(Duration span) {
        return String.format(Locale.ROOT, "%.1f s", span.toMillis() / 1_000.0);
    }
}
