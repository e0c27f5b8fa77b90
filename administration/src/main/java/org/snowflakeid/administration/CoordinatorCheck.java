// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.administration;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.config.Coordinators;
import org.snowflakeid.config.Settings;
import org.snowflakeid.records.RandomToken;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CasResult.Applied;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * Checks whether a coordinator keeps the promises that unique ids rest on, on the very server that an application uses, in a namespace of its own. It
 * takes a minute or two. What only a crash of the server would show is not checked.
 */
public final class CoordinatorCheck implements AutoCloseable {

    private static final Duration CALL = Duration.ofSeconds(10);

    /** How long a call without any time left may take on a busy machine. */
    private static final Duration LATE = Duration.ofSeconds(5);

    private static final int CONNECTIONS = 4;
    private static final int ROUNDS = 25;

    private static final String NAMES_MIXED_UP =
            "a record named …/NAME/meta could not be kept beside one named …/name/meta."
                    + " Is there a collation that takes them for equal? Make the table by the statement on the page.";

    private static final String META = "id=check state=active";
    private static final String OWNER = "token=check host=check";

    /** Case, blanks at both ends and in a row, characters of one to four bytes, and what needs quotes somewhere. */
    private static final String ODD = " Aa  \u00e9\u6f22\uD83D\uDE00 %20+\\t\"'`$<&>;-- ==/ ";

    /**
     * @param promise in the words of operators
     * @param broken what was seen instead; empty: it was kept
     */
    public record Finding(String promise, Optional<String> broken) {}

    /** A promise is broken. */
    private static final class Broken extends Exception {
        private static final long serialVersionUID = 1L;

        Broken(String seen) {
            super(seen);
        }
    }

    private interface Look {
        void run() throws Broken;
    }

    private final Settings settings;
    private final WorkerCoordinatorProvider provider;
    private final String namespace;
    private final List<WorkerCoordinator> clients = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS, task -> {
        Thread thread = new Thread(task, "snowflake-check");
        thread.setDaemon(true);
        return thread;
    });

    /** The record of the namespace, as it was last written. */
    private @Nullable Stored meta;

    private int written;

    /** @throws org.snowflakeid.InvalidSettingsException if a setting is wrong, or the coordinator keeps nothing */
    public CoordinatorCheck(SnowflakeSettings settings) {
        this(settings, Coordinators.select(settings.values(), Coordinators.loader()));
    }

    public CoordinatorCheck(SnowflakeSettings given, WorkerCoordinatorProvider provider) {
        NamespaceAdministration.requireShared(given, provider);
        this.settings = given.values();
        this.provider = provider;
        // Below the application's namespace, where its user has rights.
        this.namespace = settings.namespace() + "/snowflake-check-"
                + RandomToken.random(Platform.system()).substring(0, 8);
        for (int i = 0; i < CONNECTIONS; i++) {
            clients.add(open(namespace));
        }
    }

    private WorkerCoordinator open(String place) {
        CoordinatorConfig config = settings.coordinatorConfig();
        return provider.open(
                new CoordinatorConfig(
                        config.generator(), place, config.timeToLive(), config.settings(), config.resources()),
                () -> {});
    }

    /** The namespace in which it writes. */
    public String namespace() {
        return namespace;
    }

    /** Where the records are, in addition to the coordinator's name; known once something was read. */
    public String location() {
        return clients.get(0).location();
    }

    /**
     * Checks one promise after the other, and reports each when it is done. If the first is not kept, the others can't be checked. Blocks until all
     * are done.
     *
     * @return whether all were kept
     * @throws CoordinatorException if the coordinator can't be read at all
     */
    public boolean run(Consumer<Finding> told) {
        Snapshot unused = clients.get(0).read(0, 0, CALL);
        boolean written = look("What is written is read back, character by character", this::keepsValues, told);
        if (!written) {
            return false;
        }
        boolean kept =
                look("Names that differ in upper and lower case are different names", this::keepsNamesApart, told);
        kept &= look("A record changes only where it is as the writer expects", this::comparesBeforeItWrites, told);
        kept &= look(
                "Of several that change a record at once, one succeeds, and the others are told that they did not",
                this::letsOneWin,
                told);
        kept &= look("What was acknowledged is seen at once on every connection", this::showsWhatWasWritten, told);
        kept &= look("Nothing is granted once the namespace's record has changed", this::guardsByTheRecord, told);
        kept &= look("A worker id has one owner, and is free when it was given back", this::hasOneOwner, told);
        kept &= look("Its clock goes forward, and agrees with this machine's", this::tellsTheTime, told);
        kept &= look("A call that has no time left ends", this::endsInTime, told);
        return kept;
    }

    private static boolean look(String promise, Look look, Consumer<Finding> told) {
        Optional<String> broken = Optional.empty();
        try {
            look.run();
        } catch (Broken e) {
            broken = Optional.of(String.valueOf(e.getMessage()));
        } catch (CoordinatorException e) {
            broken = Optional.of("a call failed: " + e.getMessage());
        }
        told.accept(new Finding(promise, broken));
        return broken.isEmpty();
    }

    // ---- promises

    private void keepsValues() throws Broken {
        meta = applied(clients.get(0).writeMeta(null, META + ODD, CALL), "creating a record");
        Stored seen = Objects.requireNonNull(meta);
        require(seen.value(), value(clients.get(1).read(0, 0, CALL).meta()));
        Stored mark = claim(1, "mark" + ODD);
        require("mark" + ODD, value(slot(1, 1).mark()));
        Stored longer = extend(0, 1, mark, ODD.repeat(60));
        require(longer.value(), value(slot(2, 1).mark()));
        meta = applied(clients.get(0).writeMeta(meta, META, CALL), "replacing a record");
        require(META, value(clients.get(1).read(0, 0, CALL).meta()));
    }

    private static void require(String written, @Nullable String read) throws Broken {
        if (!written.equals(read)) {
            throw new Broken(
                    "written was '" + brief(written) + "', and another connection reads "
                            + (read == null ? "nothing" : "'" + brief(read) + "'")
                            + ". Look for triggers, rules and policies on the table, and at the types and encoding of its columns.");
        }
    }

    private static String brief(String text) {
        return text.length() <= 120 ? text : text.substring(0, 60) + "…" + text.substring(text.length() - 60);
    }

    private void keepsNamesApart() throws Broken {
        try (WorkerCoordinator lower = open(namespace + "/name");
                WorkerCoordinator upper = open(namespace + "/NAME")) {
            Stored first = applied(lower.writeMeta(null, "of=lower", CALL), "creating a record");
            if (!(writtenBeside(upper) instanceof Applied)
                    || !first.value().equals(value(lower.read(0, 0, CALL).meta()))
                    || !"of=upper".equals(value(upper.read(0, 0, CALL).meta()))) {
                throw new Broken(NAMES_MIXED_UP);
            }
        }
    }

    private static CasResult writtenBeside(WorkerCoordinator upper) throws Broken {
        try {
            return upper.writeMeta(null, "of=upper", CALL);
        } catch (CoordinatorException e) {
            throw new Broken(NAMES_MIXED_UP + " A call failed: " + e.getMessage());
        }
    }

    private void comparesBeforeItWrites() throws Broken {
        Stored first = claim(2, "limit=1");
        Stored second = extend(0, 2, first, "limit=2");
        for (Stored wrong : List.of(first, new Stored("LIMIT=2", second.version()), new Stored("limit=2 ", 99))) {
            CasResult result = clients.get(1).extend(2, wrong, "limit=3", OWNER, meta(), CALL);
            if (result instanceof Applied) {
                throw new Broken(
                        "'" + second.value() + "' was replaced by a writer that expected '" + wrong.value() + "'");
            }
        }
        require(second.value(), value(slot(2, 2).mark()));
        if (clients.get(1).writeMeta(null, "id=second", CALL) instanceof Applied) {
            throw new Broken("a record was created again that was there already");
        }
    }

    private void letsOneWin() throws Broken {
        Stored mark = claim(3, "limit=0");
        int answered = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Stored seen = mark;
            int number = round;
            List<CasResult> results = together(client -> {
                try {
                    return clients.get(client)
                            .extend(3, seen, "limit=" + number + " by=" + client, OWNER, meta(), CALL);
                } catch (CoordinatorException nothingChanged) {
                    return new CasResult.Unknown(nothingChanged);
                }
            });
            List<Stored> winners = results.stream()
                    .filter(Applied.class::isInstance)
                    .map(result -> ((Applied) result).written())
                    .toList();
            Stored now = slot(round % CONNECTIONS, 3).mark();
            boolean certain = results.stream().noneMatch(CasResult.Unknown.class::isInstance);
            if (winners.size() > 1) {
                throw new Broken(winners.size() + " of " + CONNECTIONS
                        + " connections were told that they changed the same record, at the same moment: each would"
                        + " issue the same ids. Is an UPDATE not atomic there, or is this several servers?");
            }
            if (winners.size() == 1 && !winners.get(0).value().equals(value(now))) {
                throw new Broken("'" + winners.get(0).value() + "' was acknowledged, and '" + value(now)
                        + "' is what is stored. Look for triggers, rules and policies that change or drop an UPDATE.");
            }
            if (winners.isEmpty() && certain) {
                throw new Broken("none of " + CONNECTIONS + " connections could change a record that was as they"
                        + " expected. Look for triggers, rules and policies that drop an UPDATE.");
            }
            answered += winners.size();
            mark = Objects.requireNonNull(now);
        }
        if (answered < ROUNDS / 5) {
            throw new Broken("in " + ROUNDS + " rounds only " + answered + " changes were answered clearly");
        }
    }

    private void showsWhatWasWritten() throws Broken {
        Stored mark = claim(4, "limit=0");
        for (int round = 1; round <= ROUNDS; round++) {
            mark = extend(round % CONNECTIONS, 4, mark, "limit=" + round);
            for (int other = 0; other < CONNECTIONS; other++) {
                String read = value(slot(other, 4).mark());
                if (!mark.value().equals(read)) {
                    throw new Broken("'" + mark.value() + "' was acknowledged, and afterwards '" + read
                            + "' was read. Is a replica or a cache in between, or a trigger that drops an UPDATE?");
                }
            }
        }
    }

    private void guardsByTheRecord() throws Broken {
        Stored mark = claim(5, "limit=0");
        for (int round = 1; round <= 5; round++) {
            Stored before = meta();
            Stored begun = mark;
            Future<Stored> last = threads.submit(() -> extendUntilRejected(begun, before));
            long deadline = System.nanoTime() + CALL.toNanos();
            while (begun.value().equals(value(slot(1, 5).mark())) && System.nanoTime() - deadline < 0) {
                Thread.onSpinWait();
            }
            meta = applied(clients.get(1).writeMeta(before, META + " round=" + round, CALL), "replacing a record");
            Stored seen = Objects.requireNonNull(slot(1, 5).mark());
            Stored granted = result(last);
            if (number(granted) > number(seen)) {
                throw new Broken(
                        "'" + granted.value() + "' was granted after the namespace's record had been replaced: the"
                                + " connection that replaced it then read '" + seen.value() + "'");
            }
            mark = Objects.requireNonNull(slot(1, 5).mark());
        }
    }

    /** @return what was granted last */
    private Stored extendUntilRejected(Stored mark, Stored before) {
        Stored last = mark;
        long deadline = System.nanoTime() + CALL.toNanos();
        while (System.nanoTime() - deadline < 0) {
            CasResult result = clients.get(0).extend(5, last, "limit=" + (number(last) + 1), OWNER, before, CALL);
            if (!(result instanceof Applied applied)) {
                break;
            }
            last = applied.written();
        }
        return last;
    }

    private static int number(Stored mark) {
        return Integer.parseInt(mark.value().replaceAll("\\D", ""));
    }

    private void hasOneOwner() throws Broken {
        Stored mark = claim(6, "limit=1");
        if (clients.get(1).claim(6, mark, "limit=2", "token=other", false, meta(), CALL) instanceof Applied) {
            throw new Broken("a worker id that is held was claimed a second time");
        }
        Stored free =
                applied(clients.get(0).release(6, mark, "limit=3", OWNER, meta(), CALL), "giving a worker id back");
        if (slot(1, 6).owner() != null) {
            throw new Broken("a worker id that was given back is still held");
        }
        Stored unused = applied(
                clients.get(1).claim(6, free, "limit=4", "token=other", false, meta(), CALL),
                "claiming a worker id that is free");
    }

    private void tellsTheTime() throws Broken {
        Instant before = Instant.MIN;
        for (int round = 0; round < ROUNDS; round++) {
            Instant told = clients.get(round % CONNECTIONS).read(0, 0, CALL).serverTime();
            if (told == null) {
                // It reports none; then clocks of other processes are compared.
                return;
            }
            Duration off = Duration.between(Instant.now(), told).abs();
            if (off.compareTo(settings.maxSkew()) > 0) {
                throw new Broken("it says that it is " + told + ", " + off
                        + " from this machine's clock. Synchronize both clocks (NTP).");
            }
            if (told.plusSeconds(1).isBefore(before)) {
                throw new Broken("it said that it was " + before + ", and then that it was " + told);
            }
            before = told;
        }
    }

    private void endsInTime() throws Broken {
        for (int round = 0; round < 3; round++) {
            long begun = System.nanoTime();
            try {
                Snapshot unused = clients.get(0).read(0, 0, Duration.ofMillis(1));
            } catch (CoordinatorException late) {
                // As it should.
            }
            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            if (took.compareTo(LATE) > 0) {
                throw new Broken("a call that had a millisecond took " + took);
            }
        }
    }

    // ---- calls

    private Stored meta() {
        return Objects.requireNonNull(meta);
    }

    private Stored claim(int id, String mark) throws Broken {
        return applied(
                clients.get(0).claim(id, null, mark, OWNER, false, meta(), CALL), "claiming a worker id that is free");
    }

    private Stored extend(int client, int id, Stored mark, String next) throws Broken {
        return applied(
                clients.get(client).extend(id, mark, next, OWNER, meta(), CALL),
                "changing a record that is as expected");
    }

    private Slot slot(int client, int id) {
        return clients.get(client).read(id, id, CALL).slots().get(0);
    }

    private static @Nullable String value(@Nullable Stored stored) {
        return stored == null ? null : stored.value();
    }

    private Stored applied(CasResult result, String what) throws Broken {
        written++;
        if (result instanceof Applied applied) {
            return applied.written();
        }
        if (result instanceof CasResult.Unknown unknown) {
            throw new Broken(
                    what + " has no certain outcome: " + unknown.cause().getMessage()
                            + ". If it has none again, look for triggers, rules and policies that change or drop it, and for"
                            + " servers that are copies of each other.");
        }
        throw new Broken(what + " was refused, without a change by another (write " + written
                + "). Look for triggers, rules and policies that drop it.");
    }

    private List<CasResult> together(IntFunction<CasResult> call) {
        CyclicBarrier start = new CyclicBarrier(CONNECTIONS);
        List<Future<CasResult>> results = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            int client = i;
            Callable<CasResult> task = () -> {
                awaitAll(start);
                return call.apply(client);
            };
            results.add(threads.submit(task));
        }
        return results.stream().map(CoordinatorCheck::result).toList();
    }

    private static void awaitAll(CyclicBarrier start) throws BrokenBarrierException, InterruptedException {
        int unused = start.await();
    }

    private static <T> T result(Future<T> future) {
        try {
            return future.get(CALL.multipliedBy(2).toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof CoordinatorException known
                    ? known
                    : new CoordinatorException("a call failed: " + e.getCause(), e, false);
        } catch (TimeoutException e) {
            throw new CoordinatorException("a call did not end in " + CALL.multipliedBy(2), e, false);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CoordinatorException("the check was interrupted", e, false);
        }
    }

    /** Lets go of what it claimed, as far as it can, and ends the connections. Its records stay: a coordinator deletes none. */
    @Override
    public void close() {
        Stored left = meta;
        if (left != null) {
            try {
                for (int id = 1; id <= 6; id++) {
                    clients.get(0).abandon(id, OWNER, CALL);
                }
                clients.get(0).abandon(6, "token=other", CALL);
                CasResult unused = clients.get(0).writeMeta(left, "id=check state=retired", CALL);
            } catch (CoordinatorException e) {
                // What is left is as harmless as what was written.
            }
        }
        threads.shutdownNow();
        clients.forEach(WorkerCoordinator::close);
    }
}
