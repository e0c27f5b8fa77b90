// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Measures in several short windows and keeps those in which others took least of the machine: the least disturbed, never the
 * best values. While too few were calm it goes on, for a bounded number of windows.
 */
final class Windows {

    static final int KEPT = 3;

    private static final double CALM = 0.1;

    private final int least;
    private final int most;
    private final int kept;
    private final Load load;

    /** @param most at least {@code least}, which is at least {@link #KEPT} */
    Windows(int least, int most) {
        this(least, most, MachineLoad::now);
    }

    Windows(int least, int most, Load load) {
        this(least, most, KEPT, load);
    }

    private Windows(int least, int most, int kept, Load load) {
        this.least = least;
        this.most = most;
        this.kept = kept;
        this.load = load;
    }

    /** As many windows, where the load of the machine is read otherwise. */
    Windows with(Load other) {
        return new Windows(least, most, kept, other);
    }

    /** As few as say anything while the machine is calm: for long ones. */
    Windows fewest() {
        return keeping(KEPT, KEPT);
    }

    /** For short ones, of which more are kept. */
    Windows keeping(int moreAtLeast, int moreKept) {
        return new Windows(moreAtLeast, Math.max(moreAtLeast, most), moreKept, load);
    }

    /** A single one, however disturbed. */
    Windows one() {
        return new Windows(1, 1, 1, load);
    }

    /** Where the load of the machine is read. */
    interface Load {
        MachineLoad now() throws IOException;
    }

    /** Measures once, as long as a window is; NaN for what could not be measured in it. */
    interface Body {
        List<Double> measure() throws Exception;
    }

    record Window(double others, List<Double> values) {
        boolean isComplete() {
            return values.stream().noneMatch(value -> value.isNaN());
        }
    }

    /** A figure for each of the values. */
    List<Figure> measure(Body body) throws Exception {
        List<Window> windows = new ArrayList<>();
        while (windows.size() < least || (windows.size() < most && calm(windows) < kept)) {
            MachineLoad before = load.now();
            List<Double> values = body.measure();
            windows.add(new Window(load.now().othersSince(before), values));
        }
        return figures(leastDisturbed(windows, kept));
    }

    private static long calm(List<Window> windows) {
        return windows.stream()
                .filter(window -> window.isComplete() && window.others() <= CALM)
                .count();
    }

    /** Those that could be measured, or, if there is none, those that could not. */
    static List<Window> leastDisturbed(List<Window> windows, int kept) {
        return windows.stream()
                .filter(window -> window.isComplete() || windows.stream().noneMatch(Window::isComplete))
                .sorted(Comparator.comparingDouble(Window::others))
                .limit(kept)
                .toList();
    }

    static List<Figure> figures(List<Window> kept) {
        double others = kept.stream().mapToDouble(Window::others).max().orElseThrow();
        return IntStream.range(0, kept.get(0).values().size())
                .mapToObj(metric -> Figure.over(
                        kept.stream().map(window -> window.values().get(metric)).toList(), others))
                .toList();
    }
}
