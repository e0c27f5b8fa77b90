// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import static org.snowflakeid.config.Logs.LOG;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** {@code snowflake.coordinator=static}: the worker id comes from the configuration, and nothing prevents two processes from using the same one. */
public final class StaticCoordinatorProvider implements WorkerCoordinatorProvider {

    static final String NAME = "static";

    /** Read with the {@link SnowflakeSettings}, as a range of one worker id to claim from. */
    static final Key<String> WORKER_ID = Key.text("snowflake.static.worker-id", text -> true, "", "a worker id")
            .required("With snowflake.coordinator=static give each process its own worker id there.")
            .use(Key.Use.ESSENTIAL)
            .meaning(
                    "The worker id of this process. Nothing prevents two processes from using the same one, and nothing is remembered: settings that need what was stored before"
                            + " (`snowflake.namespace-creation` other than `create`, `snowflake.resume.directory`) are refused with it. With"
                            + " `snowflake.burst` ids begin so far ahead of the clock at each start.");

    /** {@link Coordinators} always adds it to those found: it needs no service file. */
    public StaticCoordinatorProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean onlyByName() {
        return true;
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public List<Key<?>> keys() {
        return List.of(WORKER_ID);
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        LOG.log(
                Level.WARNING,
                () -> "snowflake '" + config.generator() + "': the worker id is fixed by"
                        + " snowflake.static.worker-id. Nothing notices if another process uses it too, or if the clock was set"
                        + " back before a restart: both issue duplicates.");
        SettingsReader reader = new SettingsReader(config);
        for (Key<?> key : List.of(SnowflakeKeys.WORKER_IDS, SnowflakeKeys.STARTUP_AHEAD)) {
            if (reader.isSet(key)) {
                LOG.log(
                        Level.WARNING,
                        () -> "snowflake '" + config.generator() + "': " + reader.shown(key)
                                + " has no effect with snowflake.coordinator=static. Remove it.");
            }
        }
        return new ProcessLocal();
    }

    /** Remembers marks as long as this generator lives. */
    private static final class ProcessLocal implements WorkerCoordinator {
        private final Map<Integer, Stored> marks = new HashMap<>();
        private final Map<Integer, String> owners = new HashMap<>();
        private @Nullable Stored meta;
        private long version;

        @Override
        public Snapshot read(int fromId, int toId, Duration timeout) {
            List<Slot> slots = new ArrayList<>();
            for (int id = fromId; id <= toId; id++) {
                slots.add(slot(id));
            }
            return new Snapshot(meta, slots, null);
        }

        private Slot slot(int id) {
            return new Slot(id, marks.get(id), owners.get(id));
        }

        @Override
        public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
            meta = new Stored(next, ++version);
            return new CasResult.Applied(meta, false);
        }

        @Override
        public CasResult claim(
                int id,
                @Nullable Stored mark,
                String next,
                String owner,
                boolean evict,
                Stored metaSeen,
                Duration timeout) {
            owners.put(id, owner);
            return write(id, next);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored metaSeen, Duration timeout) {
            return write(id, next);
        }

        private CasResult write(int id, String next) {
            Stored written = new Stored(next, ++version);
            marks.put(id, written);
            return new CasResult.Applied(written, true);
        }

        @Override
        public CasResult release(int id, Stored mark, String next, String owner, Stored metaSeen, Duration timeout) {
            owners.remove(id);
            return write(id, next);
        }

        @Override
        public void abandon(int id, String owner, Duration timeout) {
            owners.remove(id);
        }

        @Override
        public void close() {}
    }
}
