// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Grants everything and writes down what was claimed and released. */
public final class RecordingCoordinatorProvider implements WorkerCoordinatorProvider {

    /** {@code claimed <namespace>} and {@code released <namespace>}, in order. */
    static final List<String> JOURNAL = new CopyOnWriteArrayList<>();

    private static final Key<String> URL =
            Key.address("snowflake.recording.url", "a URL").meaning("No server is there.");
    private static final Key<String> PASSWORD =
            Key.secret("snowflake.recording.password", "text").meaning("It is never asked for.");

    /** Nothing is extended. */
    static volatile boolean down;

    /** Nothing is given back. */
    static volatile boolean keepsWorkerIds;

    /** The next extension finds the owner entry gone. */
    static volatile boolean loseOwner;

    /** If there is one, a worker id is given back once as many of them are to be given back. */
    static volatile @Nullable CyclicBarrier releasesTogether;

    /** What threads inherit from those that start them. */
    static final InheritableThreadLocal<String> REQUEST = new InheritableThreadLocal<>() {
        @Override
        protected String initialValue() {
            return "nothing";
        }
    };

    /** What the thread of the last claim had of it. */
    static volatile String claimedIn = "";

    /** What {@code recording.data-source} named, a hyphen for none, when a generator was opened. */
    static volatile @Nullable DataSource dataSource;

    /** Once something was claimed, this provider's classes can't be found. */
    static volatile boolean incompleteAfterAClaim;

    /** Once something was claimed, this provider fails and does not say why. */
    static volatile boolean silentAfterAClaim;

    /** A generator has one provider, and may connect again. */
    private final Map<String, Recording> stores = new ConcurrentHashMap<>();

    @Override
    public String name() {
        if (silentAfterAClaim && !JOURNAL.isEmpty()) {
            throw new UnsupportedOperationException();
        }
        if (incompleteAfterAClaim && !JOURNAL.isEmpty()) {
            throw new NoClassDefFoundError("org/client/Missing");
        }
        return "recording";
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        if (config.value("recording.broken").filter(config.namespace()::equals).isPresent()) {
            throw new CoordinatorException("recording.broken=" + config.namespace() + ": no access", true);
        }
        SettingsReader reader = new SettingsReader(config);
        reader.optional(URL);
        reader.optional(PASSWORD);
        reader.throwProblems();
        config.value("recording.data-source")
                .ifPresent(name -> dataSource = config.resources()
                        .find(DataSource.class, name.equals("-") ? null : name)
                        .orElse(null));
        return stores.computeIfAbsent(config.namespace(), Recording::new);
    }

    private static final class Recording implements WorkerCoordinator {
        private final String namespace;
        private final Map<Integer, Stored> marks = new ConcurrentHashMap<>();
        private volatile @Nullable Stored meta;
        private final AtomicLong versions = new AtomicLong();

        Recording(String namespace) {
            this.namespace = namespace;
        }

        @Override
        public Snapshot read(int fromId, int toId, Duration timeout) {
            List<Slot> slots = new ArrayList<>();
            for (int id = fromId; id <= toId; id++) {
                slots.add(new Slot(id, marks.get(id), null));
            }
            return new Snapshot(meta, slots, null);
        }

        @Override
        public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
            meta = new Stored(next, versions.incrementAndGet());
            return new CasResult.Applied(Objects.requireNonNull(meta), false);
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
            if (down) {
                throw new CoordinatorException("is down", false);
            }
            note("claimed " + namespace);
            claimedIn = String.valueOf(REQUEST.get());
            return write(id, next, true);
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored metaSeen, Duration timeout) {
            if (down) {
                throw new CoordinatorException("is down", false);
            }
            boolean ownerHeld = !loseOwner;
            loseOwner = false;
            return write(id, next, ownerHeld);
        }

        @Override
        public CasResult release(int id, Stored mark, String next, String owner, Stored metaSeen, Duration timeout) {
            awaitOthers();
            if (keepsWorkerIds) {
                return new CasResult.Unknown(new CoordinatorException("no answer", false));
            }
            reach();
            note("released " + namespace);
            return write(id, next, true);
        }

        /** As over the network: with what was found. */
        private static void reach() {
            DataSource found = dataSource;
            try {
                if (found != null) {
                    int unused = found.getLoginTimeout();
                }
            } catch (SQLException e) {
                throw new CoordinatorException(e.toString(), false);
            }
        }

        private static void note(String entry) {
            JOURNAL.add(entry);
            if (Boolean.getBoolean("journal.printed")) {
                System.out.println(entry);
            }
        }

        private static void awaitOthers() {
            CyclicBarrier together = releasesTogether;
            if (together == null) {
                return;
            }
            try {
                together.await();
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new CoordinatorException("waited for others in vain", false);
            }
        }

        private CasResult write(int id, String next, boolean ownerHeld) {
            Stored written = new Stored(next, versions.incrementAndGet());
            marks.put(id, written);
            return new CasResult.Applied(written, ownerHeld);
        }

        @Override
        public void abandon(int id, String owner, Duration timeout) {}

        @Override
        public void close() {}
    }
}
