// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snowflakeid.benchmarks.Windows.Window;

class WindowsTest {

    @Test
    void keepsTheLeastDisturbedWhateverTheirValues() {
        List<Window> windows =
                List.of(window(0.5, 1.0), window(0.01, 40.0), window(0.3, 2.0), window(0.02, 50.0), window(0.03, 30.0));

        assertThat(Windows.leastDisturbed(windows, Windows.KEPT))
                .extracting(window -> window.values().get(0))
                .containsExactly(40.0, 50.0, 30.0);
    }

    @Test
    void leavesOutWindowsInWhichSomethingCouldNotBeMeasured() {
        List<Window> windows = List.of(window(0, Double.NaN), window(0.4, 1.0), window(0.5, 2.0));

        assertThat(Windows.leastDisturbed(windows, Windows.KEPT))
                .extracting(window -> window.values().get(0))
                .containsExactly(1.0, 2.0);
    }

    @Test
    void saysSoIfNothingCouldBeMeasured() {
        List<Figure> figures = Windows.figures(Windows.leastDisturbed(List.of(window(0.1, Double.NaN)), Windows.KEPT));

        assertThat(figures).singleElement().satisfies(figure -> {
            assertThat(figure.value()).isNaN();
            assertThat(figure.disturbed()).isTrue();
        });
    }

    @Test
    void figuresAreTheMedianAndTheRangeOfEachValueAndTheWorstDisturbance() {
        List<Figure> figures =
                Windows.figures(List.of(window(0.1, 3.0, 30.0), window(0.25, 1.0, 20.0), window(0, 2.0, 10.0)));

        assertThat(figures).containsExactly(new Figure(2, 1, 3, 0.25), new Figure(20, 10, 30, 0.25));
        assertThat(figures).allMatch(Figure::disturbed);
    }

    @Test
    void measuresAFewWindowsOnACalmMachine() throws Exception {
        assertThat(measuredWith(0, 0, 0, 0, 0, 0, 0, 0)).isEqualTo(5);
    }

    @Test
    void goesOnUntilThreeWindowsWereCalm() throws Exception {
        assertThat(measuredWith(0.9, 0, 0.9, 0.9, 0, 0.9, 0, 0)).isEqualTo(7);
    }

    @Test
    void shortOnesAreMoreAndMoreOfThemAreKept() throws Exception {
        Iterator<Double> values = List.of(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0).iterator();
        AtomicLong seconds = new AtomicLong();
        Windows.Load calm = () -> {
            long now = seconds.incrementAndGet();
            return new MachineLoad(now * 1_000_000_000, now * 100, 0, 1);
        };

        List<Figure> figures = new Windows(3, 3, calm).keeping(7, 5).measure(() -> List.of(values.next()));

        assertThat(values.hasNext()).isFalse();
        assertThat(figures).singleElement().satisfies(figure -> {
            assertThat(figure.low()).isEqualTo(1);
            assertThat(figure.high()).isEqualTo(5);
        });
    }

    @Test
    void givesUpOnAMachineThatStaysBusy() throws Exception {
        assertThat(measuredWith(1, 1, 1, 1, 1, 1, 1, 1, 1, 1)).isEqualTo(8);
    }

    /** How many windows, of 5 to 8, are measured while others take these shares of the machine. */
    private static int measuredWith(double... shares) throws Exception {
        List<MachineLoad> loads = new ArrayList<>();
        for (double share : shares) {
            loads.add(new MachineLoad(0, 0, 0, 1));
            loads.add(new MachineLoad(1_000_000_000, (long) (100 * (1 - share)), 0, 1));
        }
        Iterator<MachineLoad> next = loads.iterator();
        List<Integer> measured = new ArrayList<>();
        new Windows(5, 8, next::next).measure(() -> {
            measured.add(1);
            return List.of(1.0);
        });
        return measured.size();
    }

    @Test
    void percentilesAreMeasuredValues() {
        double[] sorted = Percentile.sorted(
                Stream.of(5, 1, 4, 2, 3).map(Integer::doubleValue).toList());

        assertThat(Percentile.of(sorted, 0)).isEqualTo(1);
        assertThat(Percentile.of(sorted, 0.5)).isEqualTo(3);
        assertThat(Percentile.of(sorted, 0.9)).isEqualTo(5);
        assertThat(Percentile.of(new int[] {7, 8}, 0.5)).isEqualTo(7);
        assertThat(Percentile.of(new int[] {7, 8}, 0.51)).isEqualTo(8);
    }

    private static Window window(double others, Double... values) {
        return new Window(others, List.of(values));
    }
}
