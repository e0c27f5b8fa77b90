// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.snowflakeid.compare.Event.Kind;

class ChapterTest {

    private static List<Chapter.Plan> plans(Chapter chapter) {
        return LongStream.range(0, 200).mapToObj(seed -> chapter.plan(seed, 0)).toList();
    }

    @ParameterizedTest
    @EnumSource(Chapter.class)
    void followsFromTheSeedAlone(Chapter chapter) {
        Chapter.Plan again = chapter.plan(7, 1);
        assertThat(chapter.plan(7, 1)).isEqualTo(again);
        if (!chapter.plan(7, 1).events().isEmpty()) {
            assertThat(chapter.plan(7, 1).events())
                    .isNotEqualTo(chapter.plan(8, 1).events())
                    .isNotEqualTo(chapter.plan(7, 2).events());
        }
    }

    @ParameterizedTest
    @EnumSource(Chapter.class)
    void doesOnlyWhatCanBeDone(Chapter chapter) {
        for (Chapter.Plan plan : plans(chapter)) {
            Set<String> running = new HashSet<>(chapter.first());
            for (Event event : plan.events()) {
                switch (event.kind()) {
                    case START ->
                        assertThat(running.add(event.instance())).as("%s", plan).isTrue();
                    case KILL ->
                        assertThat(running.remove(event.instance()))
                                .as("%s", plan)
                                .isTrue();
                    case PAUSE, RESUME -> assertThat(running).as("%s", plan).contains(event.instance());
                    default -> {}
                }
            }
            assertThat(plan.events()).isSorted();
        }
    }

    @ParameterizedTest
    @EnumSource(Chapter.class)
    void undoesWhatWouldLastForEver(Chapter chapter) {
        for (Chapter.Plan plan : plans(chapter)) {
            assertThat(count(plan, Kind.PAUSE)).isEqualTo(count(plan, Kind.RESUME));
            assertThat(count(plan, Kind.FREEZE_COORDINATOR)).isEqualTo(count(plan, Kind.THAW_COORDINATOR));
        }
    }

    private static long count(Chapter.Plan plan, Kind kind) {
        return plan.events().stream().filter(event -> event.kind() == kind).count();
    }
}
