// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which call each column measures. */
class CallCostTest {
    private final Set<String> calls = new HashSet<>();

    /** Notes who was called, and how many ids were asked for. */
    private final class Noting implements Generator.IntoArrays {

        @Override
        public long nextId() {
            calls.add("nextId");
            return 0;
        }

        @Override
        public Object nextIds(int count) {
            calls.add("nextIds " + count);
            return new long[count];
        }

        @Override
        public void nextIds(long[] into, int from, int count) {
            calls.add("nextIds into " + into.length + " from " + from + " " + count);
        }
    }

    private Figures measure(Column column) throws Exception {
        Figures figures = new Figures();
        column.measure(
                new Subject("noting", "", IdTime.millisSince(0), Noting::new),
                new Windows(Windows.KEPT, Windows.KEPT),
                List.of(),
                figures);
        return figures;
    }

    @Test
    void batchIsTheCallThatMakesAnArray() throws Exception {
        Figures figures = measure(Column.BATCH);

        assertThat(figures.get("batch")).isPresent();
        assertThat(figures.get("into")).isEmpty();
        assertThat(calls).containsExactly("nextIds 1000");
    }

    @Test
    void intoIsTheCallThatFillsOne() throws Exception {
        Figures figures = measure(Column.INTO);

        assertThat(figures.get("into")).isPresent();
        assertThat(figures.get("batch")).isEmpty();
        assertThat(calls).containsExactly("nextIds into 1000 from 0 1000");
    }

    @Test
    void thoseWithoutThatCallHaveNoFigure() throws Exception {
        Figures figures = new Figures();
        Subject boxing = Subjects.named("shardingsphere");

        Column.INTO.measure(boxing, new Windows(Windows.KEPT, Windows.KEPT), List.of(), figures);

        assertThat(figures.lines()).isEmpty();
    }
}
