// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.snowflakeid.Simulation.Domain;

/** Plays many seeds until one fails, or one of them with its trace; {@code bin/simulate} starts it. */
final class SimulationCommand {

    private static final long PROGRESS_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

    private SimulationCommand() {}

    /** @param args domain, first seed, number of seeds; without a number, that seed and its trace */
    public static void main(String[] args) throws InterruptedException {
        Domain domain = Domain.valueOf(args[0].toUpperCase(Locale.ROOT));
        long first = Long.parseLong(args[1]);
        Thread thread = Thread.ofVirtual().start(() -> {
            if (args.length == 2) {
                Simulation.trace(domain, first).forEach(System.out::println);
            } else {
                play(domain, first, first + Long.parseLong(args[2]));
            }
        });
        thread.join();
    }

    private static void play(Domain domain, long first, long end) {
        Tally tally = new Tally();
        long began = System.nanoTime();
        long told = began;
        for (long seed = first; seed < end; seed++) {
            try {
                Simulation.play(domain, seed, tally);
            } catch (AssertionError violation) {
                System.out.println(violation.getMessage());
                System.exit(1);
            }
            long now = System.nanoTime();
            if (now - told > PROGRESS_EVERY_NANOS) {
                told = now;
                System.out.printf("%s to seed %,d: %s%n", domain, seed, tally);
            }
        }
        Duration took = Duration.ofNanos(System.nanoTime() - began).truncatedTo(ChronoUnit.SECONDS);
        System.out.printf("%s seeds %,d to %,d, no violation, %s: %s%n", domain, first, end - 1, took, tally);
    }
}
