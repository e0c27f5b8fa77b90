// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.snowflakeid.Simulation.Domain;

/** Plays many seeds until one fails, or one of them with its trace; {@code bin/simulate} starts it. */
final class SimulationCommand {

    private static final long PROGRESS_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

    private SimulationCommand() {}

    /**
     * @param args domain, first seed, number of seeds, and perhaps a file for the tally; without a number, that seed and its trace. Or
     *     {@code survey}, domain, first seed, number of seeds; or {@code report}, domain, command, commit, seconds, files of tallies
     */
    public static void main(String[] args) throws InterruptedException {
        // The thread that takes part in a world has to make it, and virtual threads hand over quickly.
        Thread thread = Thread.ofVirtual().start(() -> {
            try {
                run(args);
            } catch (Throwable e) {
                e.printStackTrace();
                System.exit(1);
            }
        });
        thread.join();
    }

    private static void run(String[] args) {
        if (args[0].equals("report")) {
            report(args);
            return;
        }
        boolean survey = args[0].equals("survey");
        String[] rest = survey ? Arrays.copyOfRange(args, 1, args.length) : args;
        Domain domain = Domain.valueOf(rest[0].toUpperCase(Locale.ROOT));
        long first = Long.parseLong(rest[1]);
        if (survey) {
            survey(domain, first, first + Long.parseLong(rest[2]));
        } else if (rest.length == 2) {
            Seeds.trace(domain, first).forEach(System.out::println);
        } else {
            Tally tally = play(domain, first, first + Long.parseLong(rest[2]));
            if (rest.length > 3) {
                write(Path.of(rest[3]), tally);
            }
        }
    }

    private static Tally play(Domain domain, long first, long end) {
        Tally tally = new Tally();
        long began = System.nanoTime();
        long reported = began;
        for (long seed = first; seed < end; seed++) {
            try {
                Seeds.play(domain, seed, tally);
            } catch (AssertionError violation) {
                System.out.println(violation.getMessage());
                System.exit(1);
            }
            long now = System.nanoTime();
            if (now - reported > PROGRESS_EVERY_NANOS) {
                reported = now;
                System.out.printf("%s to seed %,d: %s%n", domain, seed, tally);
            }
        }
        Duration took = Duration.ofNanos(System.nanoTime() - began).truncatedTo(ChronoUnit.SECONDS);
        System.out.printf("%s seeds %,d to %,d, no violation, %s: %s%n", domain, first, end - 1, took, tally);
        return tally;
    }

    // ---- what else is wrong

    /** Violations that differ only in their numbers and processes. */
    private record Violations(long firstSeed, String first, long runs) {}

    /** Plays all seeds, whatever they show, and prints the violations. */
    private static void survey(Domain domain, long first, long end) {
        Map<String, Violations> kinds = new HashMap<>();
        Tally tally = new Tally();
        for (long seed = first; seed < end; seed++) {
            long played = seed;
            List<String> found;
            try {
                found = Seeds.violations(domain, seed, tally);
            } catch (AssertionError stuck) {
                found = List.of("stuck: " + stuck.getMessage());
            }
            Map<String, String> ofRun = new HashMap<>();
            found.forEach(violation -> ofRun.putIfAbsent(kind(violation), violation));
            ofRun.forEach((kind, violation) -> kinds.merge(
                    kind,
                    new Violations(played, violation, 1),
                    (earlier, now) -> new Violations(earlier.firstSeed, earlier.first, earlier.runs + 1)));
        }
        List<Violations> all = new ArrayList<>(kinds.values());
        all.sort((a, b) -> Long.compare(b.runs, a.runs));
        all.forEach(each ->
                System.out.printf("%,7d runs, first %s seed %d: %s%n", each.runs, domain, each.firstSeed, each.first));
        System.out.printf(
                "%s seeds %,d to %,d: %d kinds of violation, in %s%n", domain, first, end - 1, all.size(), tally);
    }

    private static String kind(String violation) {
        String words = violation.replaceAll("\\bp\\d+'?", "p").replaceAll("\\b[-.\\d]*\\d[-.\\w]*", "#");
        return words.replaceAll("(?s)[:(\\[].*", "");
    }

    // ---- reports

    private static void write(Path file, Tally tally) {
        List<String> lines = new ArrayList<>();
        tally.byName().forEach((name, count) -> lines.add(name + "=" + count));
        try {
            Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Long> read(Path file) {
        try {
            Map<String, Long> tally = new TreeMap<>();
            for (String line : Files.readAllLines(file)) {
                int equals = line.lastIndexOf('=');
                tally.put(line.substring(0, equals), Long.parseLong(line.substring(equals + 1)));
            }
            return tally;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void report(String[] args) {
        List<Map<String, Long>> tallies = Arrays.stream(args, 5, args.length)
                .map(file -> read(Path.of(file)))
                .toList();
        Duration took = Duration.ofSeconds(Long.parseLong(args[4]));
        TallyReport.table(
                        args[1],
                        args[2],
                        args[3],
                        took.toString().substring(2).toLowerCase(Locale.ROOT),
                        TallyReport.sum(tallies))
                .forEach(System.out::println);
    }
}
