// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** What an operator goes by is no older than the record that is shown with it. */
class NamespacePlaceTest {

    private final Stage stage = new Stage();
    private final Stored before = new Stored("before", 1);
    private final Stored retired = new Stored("retired", 2);
    private final Stored early = new Stored("early", 1);
    private final Stored late = new Stored("late", 2);

    private NamespaceView view(List<Snapshot> answers) {
        int[] asked = {0};
        WorkerCoordinator coordinator = new WorkerCoordinator() {
            @Override
            public Snapshot read(int fromId, int toId, Duration timeout) {
                return answers.get(Math.min(asked[0]++, answers.size() - 1));
            }

            @Override
            public CasResult writeMeta(Stored expected, String next, Duration timeout) {
                throw new UnsupportedOperationException();
            }

            @Override
            public CasResult claim(
                    int id, Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout) {
                throw new UnsupportedOperationException();
            }

            @Override
            public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
                throw new UnsupportedOperationException();
            }

            @Override
            public CasResult release(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void abandon(int id, String owner, Duration timeout) {}

            @Override
            public void close() {}
        };
        WorkerCoordinatorProvider provider = new WorkerCoordinatorProvider() {
            @Override
            public String name() {
                return "scripted";
            }

            @Override
            public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
                return coordinator;
            }
        };
        return new NamespacePlace(SnowflakeSettings.of(Map.of()), provider, stage.process()).view();
    }

    private Snapshot seen(Stored meta, Stored mark) {
        return new Snapshot(meta, List.of(new Slot(0, mark, null)), null);
    }

    // a store that reads the marks first showed a retired namespace without what had been claimed until then
    @Test
    void marksAreReadAfterTheRecord() {
        NamespaceView view = view(List.of(seen(before, early), seen(retired, early), seen(retired, late)));

        assertThat(view.stored()).isEqualTo(retired);
        assertThat(view.slots()).extracting(Slot::mark).containsExactly(late);
    }
}
