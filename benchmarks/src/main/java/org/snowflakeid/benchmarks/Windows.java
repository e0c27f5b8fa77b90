// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Measures in several short windows and keeps those in which others took least of the machine: the least disturbed, never the
 * best values. While too few were calm it goes on, for a bounded number of windows.
 */
final class Windows {

    static final int KEPT = 3;

    private static final double CALM = 0.05;

    private final int least;
    private final int most;

    /** @param most at least {@code least}, which is at least {@link #KEPT} */
    Windows(int least, int most) {
        this.least = least;
        this.most = most;
    }

    /** Measures once, as long as a window is; NaN for what could not be measured in it. */
    interface Body {
        double[] measure() throws Exception;
    }

    record Window(double others, double[] values) {
        boolean isComplete() {
            return Arrays.stream(values).noneMatch(Double::isNaN);
        }
    }

    /** A figure for each of the values; none at all if no window could be measured. */
    List<Figure> measure(Body body) throws Exception {
        List<Window> windows = new ArrayList<>();
        while (windows.size() < least || (windows.size() < most && calm(windows) < KEPT)) {
            MachineLoad before = MachineLoad.now();
            double[] values = body.measure();
            windows.add(new Window(MachineLoad.now().othersSince(before), values));
        }
        return figures(leastDisturbed(windows));
    }

    private static long calm(List<Window> windows) {
        return windows.stream()
                .filter(window -> window.isComplete() && window.others() <= CALM)
                .count();
    }

    static List<Window> leastDisturbed(List<Window> windows) {
        return windows.stream()
                .filter(Window::isComplete)
                .sorted(Comparator.comparingDouble(Window::others))
                .limit(KEPT)
                .toList();
    }

    static List<Figure> figures(List<Window> kept) {
        List<Figure> figures = new ArrayList<>();
        if (!kept.isEmpty()) {
            double others = kept.stream().mapToDouble(Window::others).max().orElse(0);
            for (int i = 0; i < kept.get(0).values().length; i++) {
                int metric = i;
                figures.add(Figure.over(
                        kept.stream().map(window -> window.values()[metric]).toList(), others));
            }
        }
        return figures;
    }
}
