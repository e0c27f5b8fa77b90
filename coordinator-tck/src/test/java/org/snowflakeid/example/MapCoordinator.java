// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.example;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.Platform;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordCoordinator;
import org.snowflakeid.spi.RecordStore;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** {@code snowflake.coordinator=map}: records in a map, which takes the place of a server. */
public final class MapCoordinator implements WorkerCoordinatorProvider {

    private final MapServer server;

    /** For {@link java.util.ServiceLoader}. */
    public MapCoordinator() {
        this(new MapServer(Platform.system()));
    }

    MapCoordinator(MapServer server) {
        this.server = server;
    }

    @Override
    public String name() {
        return "map";
    }

    /** Only if the settings name it: a real coordinator leaves this method out. */
    @Override
    public boolean onlyByName() {
        return true;
    }

    /** Here settings are read and checked, and nothing is called yet. */
    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        return new RecordCoordinator(config, new MapStore(server));
    }

    /** A client of the server. */
    private static final class MapStore implements RecordStore {
        private final MapServer server;
        private volatile boolean closed;

        MapStore(MapServer server) {
            this.server = server;
        }

        @Override
        public Reading read(List<String> keys, Duration timeout) {
            requireOpen();
            Map<String, Entry> found = new HashMap<>();
            try {
                Instant now = server.time(timeout);
                for (String key : keys) {
                    MapServer.Row row = server.get(key, timeout);
                    if (row != null) {
                        found.put(key, new Entry(row.text(), row.number()));
                    }
                }
                return new Reading(found, now);
            } catch (MapServer.NoAnswerException e) {
                // Nothing was to be changed: a failure is just a failure.
                throw new CoordinatorException("map: no answer within " + timeout, e, false);
            }
        }

        @Override
        public Write compareAndSet(String key, @Nullable Entry expected, String next, Duration timeout) {
            requireOpen();
            long number = expected == null ? 0 : (Long) expected.version();
            try {
                return server.putIf(key, number, next, timeout) ? new Write.Applied() : new Write.Rejected();
            } catch (MapServer.NoAnswerException e) {
                // The server may have got it, or may get it yet.
                return new Write.Unknown(new CoordinatorException("map: no answer within " + timeout, e, false));
            }
        }

        private void requireOpen() {
            if (closed) {
                throw new CoordinatorException("map: the coordinator is closed", true);
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
