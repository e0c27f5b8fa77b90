// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rate, the CPU an id costs and how long calls wait where threads do something else between their ids. What they want is measured
 * before and after it: the same threads with ids that cost nothing. How long a thread parks changes on a virtual machine from second to
 * second, and so does what they want.
 */
final class Between {

    private static final long WARM_UP_MILLIS = 200;
    private static final int WARM_UP_IDS = 20;
    private static final long WANTED_LEAD_IN_MILLIS = 100;
    private static final long WANTED_WINDOW_MILLIS = 150;
    private static final long LEAD_IN_MILLIS = 300;
    private static final long WINDOW_MILLIS = 350;

    /** So long calls are timed before they count. */
    private static final long TIMED_MILLIS = 50;

    /** So many threads need another millisecond to come round. */
    private static final int THREADS_PER_MILLI = 10;

    private static final String NAME = "between-";
    private static final String SHARE = ".share";

    private Between() {}

    /** Leaves no figures of layouts that the subject does not have, and of virtual threads on a JDK without them. */
    static void measure(Subject subject, List<Mix> mixes, Windows windows, Figures figures) throws Exception {
        warmUp(subject, windows.one());
        for (Mix mix : mixes) {
            if (mix.runsHere() && subject.hasSequenceBits(mix.crowd().sequenceBits())) {
                measure(subject, mix, windows.fewest(), figures);
            }
        }
    }

    /** Also of what measures: beside many busy threads it would take seconds to load and compile. */
    private static void warmUp(Subject subject, Windows windows) throws Exception {
        try (PausingCallers callers = few(null, subject)) {
            callers.begin();
            Work.of(callers, WARM_UP_MILLIS, windows);
            callers.stop();
        }
        try (Generator generator = subject.open();
                PausingCallers callers = few(generator, subject)) {
            callers.begin();
            Work.of(callers, WARM_UP_MILLIS, windows);
            callers.timeCalls();
            callers.countCalls();
            Thread.sleep(TIMED_MILLIS);
            callers.stop();
        }
    }

    /** They pause in each way in turn. */
    private static PausingCallers few(@Nullable Generator generator, Subject subject)
            throws ReflectiveOperationException {
        return new PausingCallers(
                generator, subject.time(), new Crowd(2, false, Subject.SEQUENCE_BITS), WARM_UP_IDS, caller -> () -> {
                    for (Pause pause : Pause.values()) {
                        pause.make();
                    }
                });
    }

    /**
     * What the names of its figures begin with.
     *
     * @param prefix of the figures of a busy machine
     */
    static String name(String prefix, Mix mix) {
        return prefix + NAME + mix;
    }

    /** All that were measured, in their order. */
    static List<Mix> mixes(String prefix, List<Measured> all) {
        return all.stream()
                .flatMap(measured -> measured.figures().names())
                .filter(name -> name.startsWith(prefix + NAME) && name.endsWith(SHARE))
                .map(name -> name.substring((prefix + NAME).length(), name.length() - SHARE.length()))
                .distinct()
                .map(Mix::parse)
                .toList();
    }

    /** Absent if it was not measured, or could not be. */
    static Optional<Figure> share(Measured measured, Mix mix) {
        return measured.figures().get(name("", mix) + SHARE).filter(share -> !Double.isNaN(share.value()));
    }

    private static void measure(Subject subject, Mix mix, Windows windows, Figures figures) throws Exception {
        int bits = mix.crowd().sequenceBits();
        IdTime time = subject.time().withSequenceBits(bits);
        long more = mix.crowd().threads() / THREADS_PER_MILLI;
        Work wantedBefore = wanted(time, mix, windows);
        Work work;
        List<Figure> waits;
        Drift drift;
        try (Generator generator = subject.open(bits);
                PausingCallers callers = callers(generator, time, mix)) {
            callers.begin();
            Thread.sleep(LEAD_IN_MILLIS + more);
            work = Work.of(callers, WINDOW_MILLIS, windows);
            callers.timeCalls();
            Thread.sleep(TIMED_MILLIS + more);
            waits = windows.one().measure(() -> {
                callers.countCalls();
                Thread.sleep(WINDOW_MILLIS);
                callers.stop();
                Histogram all = callers.waits();
                return List.of(all.percentile(0.999, 0) / 1e6, all.percentile(1, 0) / 1e6);
            });
            drift = callers.drift();
        }
        // The generator is closed: its own threads are not what callers want.
        Work wanted = wantedBefore.meanWith(wanted(time, mix, windows));
        String name = name("", mix);
        figures.put(name + ".wanted", Figure.counted(wanted.idsPerSecond().value() / mix.idsPerSecond()));
        figures.put(name + SHARE, work.shareOf(wanted, mix.idsPerSecond()));
        figures.put(name + ".cpu", work.cpuBeyond(wanted));
        figures.put(name + ".p99.9", waits.get(0));
        figures.put(name + ".longest", waits.get(1));
        figures.put(name + ".max-ahead", Figure.counted(drift.max()));
        figures.put(name + ".end-ahead", Figure.counted(drift.end()));
    }

    private static Work wanted(IdTime time, Mix mix, Windows windows) throws Exception {
        try (PausingCallers callers = callers(null, time, mix)) {
            callers.begin();
            Thread.sleep(WANTED_LEAD_IN_MILLIS + mix.crowd().threads() / THREADS_PER_MILLI);
            Work wanted = Work.of(callers, WANTED_WINDOW_MILLIS, windows);
            callers.stop();
            return wanted;
        }
    }

    private static PausingCallers callers(@Nullable Generator generator, IdTime time, Mix mix)
            throws ReflectiveOperationException {
        return new PausingCallers(generator, time, mix.crowd(), mix.ids(), caller -> mix.pause()::make);
    }

    /**
     * What threads got, and what it cost.
     *
     * @param cpuPerMillion seconds for a million ids, in all windows together: the kernel counts it in hundredths of a second
     */
    record Work(Figure idsPerSecond, double cpuPerMillion) {

        private static Work of(PausingCallers callers, long windowMillis, Windows windows) throws Exception {
            Reading begin = callers.now();
            List<Figure> rates = windows.measure(() -> {
                Reading before = callers.now();
                Thread.sleep(windowMillis);
                return List.of(callers.now().idsPerSecondSince(before));
            });
            return new Work(rates.get(0), cpuPerMillion(begin, callers.now()));
        }

        /** Infinite without any id. */
        static double cpuPerMillion(Reading begin, Reading end) {
            double cpu = end.cpuPerMillionSince(begin);
            return Double.isNaN(cpu) ? Double.POSITIVE_INFINITY : cpu;
        }

        Work meanWith(Work later) {
            return new Work(idsPerSecond.meanWith(later.idsPerSecond), (cpuPerMillion + later.cpuPerMillion) / 2);
        }

        /** Of what is wanted, or of the ceiling if more is wanted than that. */
        Figure shareOf(Work wanted, double ceiling) {
            double all = Math.min(wanted.idsPerSecond.value(), ceiling);
            return new Figure(
                    idsPerSecond.value() / all, idsPerSecond.low() / all, idsPerSecond.high() / all, others(wanted));
        }

        /** What a million ids cost beyond what the threads themselves do meanwhile. */
        Figure cpuBeyond(Work wanted) {
            double beyond = cpuPerMillion - wanted.cpuPerMillion;
            return new Figure(beyond, beyond, beyond, others(wanted));
        }

        private double others(Work wanted) {
            return Math.max(idsPerSecond.others(), wanted.idsPerSecond.others());
        }
    }
}
