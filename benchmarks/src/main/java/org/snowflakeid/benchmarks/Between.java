// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rate, the CPU an id costs and how long calls wait where threads do something else between their ids. How long a thread parks changes
 * on a virtual machine from second to second, and so does what threads want. So short turns alternate: the same threads with ids that cost
 * nothing, then with the subject's, then with none again, and each share is of what was wanted just before and just after.
 */
final class Between {

    private static final long WARM_UP_MILLIS = 200;
    private static final int WARM_UP_IDS = 20;
    private static final int TURNS = 7;
    private static final int TURNS_KEPT = 5;
    private static final long WANTED_LEAD_IN_MILLIS = 100;
    private static final long LEAD_IN_MILLIS = 200;
    private static final long TURN_MILLIS = 150;
    private static final long WAITS_MILLIS = 350;

    /** So long calls are timed before they count. */
    private static final long TIMED_MILLIS = 50;

    /** So many threads need another millisecond to come round. */
    private static final int THREADS_PER_MILLI = 10;

    private static final String NAME = "between-";
    private static final String SHARE = ".share";

    private Between() {}

    /** Leaves no figures of layouts that the subject does not have, and of virtual threads on a JDK without them. */
    static void measure(Subject subject, List<Mix> mixes, Windows windows, Figures figures) throws Exception {
        warmUp(subject);
        for (Mix mix : mixes) {
            if (mix.runsHere() && subject.hasSequenceBits(mix.crowd().sequenceBits())) {
                measure(subject, mix, windows.keeping(TURNS, TURNS_KEPT), figures);
            }
        }
    }

    /** Also of what measures: beside many busy threads it would take seconds to load and compile. */
    private static void warmUp(Subject subject) throws Exception {
        try (PausingCallers callers = few(null, subject)) {
            Work.of(callers, 0, WARM_UP_MILLIS);
            callers.stop();
        }
        try (Generator generator = subject.open();
                PausingCallers callers = few(generator, subject)) {
            Work.of(callers, 0, WARM_UP_MILLIS);
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
        IdTime time = subject.time().withSequenceBits(mix.crowd().sequenceBits());
        List<Work> wanted = new ArrayList<>(List.of(wanted(time, mix)));
        List<Work> got = new ArrayList<>();
        Figure share = windows.measure(() -> {
                    Work before = wanted.get(wanted.size() - 1);
                    Work work = got(subject, time, mix);
                    Work after = wanted(time, mix);
                    got.add(work);
                    wanted.add(after);
                    return List.of(work.shareOf(before.and(after), mix.idsPerSecond()));
                })
                .get(0);
        Work allWanted = Work.all(wanted);
        double cpu = Work.all(got).cpuPerMillion() - allWanted.cpuPerMillion();
        String name = name("", mix);
        figures.put(name + ".wanted", Figure.counted(allWanted.idsPerSecond() / mix.idsPerSecond()));
        figures.put(name + SHARE, share);
        figures.put(name + ".cpu", new Figure(cpu, cpu, cpu, share.others()));
        waits(subject, time, mix, windows.one(), figures);
    }

    /** The generator is closed before what is wanted is measured: its own threads are not what callers want. */
    private static Work got(Subject subject, IdTime time, Mix mix) throws Exception {
        try (Generator generator = subject.open(mix.crowd().sequenceBits());
                PausingCallers callers = callers(generator, time, mix)) {
            Work got = Work.of(callers, LEAD_IN_MILLIS + moreMillis(mix), TURN_MILLIS);
            callers.stop();
            return got;
        }
    }

    private static Work wanted(IdTime time, Mix mix) throws Exception {
        try (PausingCallers callers = callers(null, time, mix)) {
            Work wanted = Work.of(callers, WANTED_LEAD_IN_MILLIS + moreMillis(mix), TURN_MILLIS);
            callers.stop();
            return wanted;
        }
    }

    /** In a turn of its own, since timing costs time. */
    private static void waits(Subject subject, IdTime time, Mix mix, Windows one, Figures figures) throws Exception {
        String name = name("", mix);
        try (Generator generator = subject.open(mix.crowd().sequenceBits());
                PausingCallers callers = callers(generator, time, mix)) {
            callers.begin();
            Thread.sleep(LEAD_IN_MILLIS + moreMillis(mix));
            callers.timeCalls();
            Thread.sleep(TIMED_MILLIS + moreMillis(mix));
            List<Figure> waits = one.measure(() -> {
                callers.countCalls();
                Thread.sleep(WAITS_MILLIS);
                callers.stop();
                Histogram all = callers.waits();
                return List.of(all.percentile(0.999, 0) / 1e6, all.percentile(1, 0) / 1e6);
            });
            Drift drift = callers.drift();
            figures.put(name + ".p99.9", waits.get(0));
            figures.put(name + ".longest", waits.get(1));
            figures.put(name + ".max-ahead", Figure.counted(drift.max()));
            figures.put(name + ".end-ahead", Figure.counted(drift.end()));
        }
    }

    private static long moreMillis(Mix mix) {
        return mix.crowd().threads() / THREADS_PER_MILLI;
    }

    private static PausingCallers callers(@Nullable Generator generator, IdTime time, Mix mix)
            throws ReflectiveOperationException {
        return new PausingCallers(generator, time, mix.crowd(), mix.ids(), caller -> mix.pause()::make);
    }

    /**
     * What threads got, and what it cost.
     *
     * @param cpuNanos of the whole process; the kernel counts it in hundredths of a second
     */
    record Work(long ids, long nanos, long cpuNanos) {

        /** Lets them begin, and leaves them at it. */
        private static Work of(PausingCallers callers, long leadInMillis, long millis) throws InterruptedException {
            callers.begin();
            Thread.sleep(leadInMillis);
            Reading begin = callers.now();
            Thread.sleep(millis);
            return between(begin, callers.now());
        }

        static Work between(Reading begin, Reading end) {
            return new Work(end.ids() - begin.ids(), end.nanos() - begin.nanos(), end.cpuNanos() - begin.cpuNanos());
        }

        static Work all(List<Work> works) {
            return works.stream().reduce(new Work(0, 0, 0), Work::and);
        }

        Work and(Work other) {
            return new Work(ids + other.ids, nanos + other.nanos, cpuNanos + other.cpuNanos);
        }

        double idsPerSecond() {
            return ids / (nanos / 1e9);
        }

        /** In seconds; infinite without any id. */
        double cpuPerMillion() {
            return ids == 0 ? Double.POSITIVE_INFINITY : (cpuNanos / 1e9) / (ids / 1e6);
        }

        /** Of what is wanted, or of the ceiling if more is wanted than that. */
        double shareOf(Work wanted, double ceiling) {
            return idsPerSecond() / Math.min(wanted.idsPerSecond(), ceiling);
        }
    }
}
