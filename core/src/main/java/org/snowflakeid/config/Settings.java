// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Resources;

/** The values of all keys of one generator, read once and checked. */
public final class Settings {

    private static final Pattern RANGE = Pattern.compile("(\\d{1,7})(?:-(\\d{1,7}))?");
    private static final Duration USUAL_STARTUP_TIMEOUT = Duration.ofSeconds(90);

    private final String generator;
    private final Function<String, @Nullable String> lookup;
    private final Resources resources;

    private final Optional<String> coordinator;
    private final String namespace;
    private final NamespaceCreation namespaceCreation;
    private final SnowflakeLayout layout;
    private final int idBits;
    private final int minWorkerId;
    private final int maxWorkerId;
    private final Duration window;
    private final Duration startupTimeout;
    private final Duration startupAhead;
    private final Duration waitTimeout;
    private final OnRollback onRollback;
    private final Duration maxWait;
    private final Duration maxAhead;
    private final Duration maxLag;
    private final Duration maxSkew;
    private final Duration burst;
    private final boolean healthEnabled;
    private final ReadyUntil readyUntil;
    private final int workers;
    private final Optional<Path> resumeDirectory;
    private final Unreleased unreleased;

    /** @param reader collects the problems of all values */
    public Settings(
            String generator, Function<String, @Nullable String> lookup, Resources resources, SettingsReader reader) {
        this.generator = generator;
        this.lookup = lookup;
        this.resources = resources;
        if (!SnowflakeKeys.isGenerator(generator)) {
            reader.problem(SnowflakeKeys.NAME_OF_A_GENERATOR + " Rename it.");
            reader.throwProblems();
        }
        for (Key<?> key : SnowflakeKeys.core()) {
            if (generator.equals(SnowflakeSettings.DEFAULT_GENERATOR)) {
                reader.refuseOwn(key, "has no effect: 'default' is the generator without a name. Set " + key + ".");
            } else if (!key.isPerGenerator()) {
                reader.refuseOwn(key, "can't be set for one generator. Set " + key + " for all of them.");
            }
        }

        coordinator = reader.optional(SnowflakeKeys.COORDINATOR);
        namespace = readNamespace(reader);
        namespaceCreation = reader.value(SnowflakeKeys.NAMESPACE_CREATION);
        layout = new SnowflakeLayout(
                reader.value(SnowflakeKeys.EPOCH),
                reader.value(SnowflakeKeys.WORKER_ID_BITS),
                reader.value(SnowflakeKeys.SEQUENCE_BITS));
        idBits = reader.value(SnowflakeKeys.ID_BITS);
        int[] ids = readWorkerIds(reader);
        minWorkerId = ids[0];
        maxWorkerId = ids[1];
        window = reader.value(SnowflakeKeys.WINDOW);
        startupTimeout = readStartupTimeout(reader);
        Duration ahead = reader.value(SnowflakeKeys.STARTUP_AHEAD);
        // A static worker id has no reservations that a start would have to wait for.
        startupAhead = isStatic() ? Duration.ZERO : ahead;
        waitTimeout = reader.value(SnowflakeKeys.WAIT_TIMEOUT);
        onRollback = reader.value(SnowflakeKeys.ON_ROLLBACK);
        maxWait = reader.value(SnowflakeKeys.MAX_WAIT);
        maxAhead = reader.value(SnowflakeKeys.MAX_AHEAD);
        maxLag = reader.value(SnowflakeKeys.MAX_LAG);
        maxSkew = reader.value(SnowflakeKeys.MAX_SKEW);
        burst = reader.value(SnowflakeKeys.BURST);
        if (reader.areRight(SnowflakeKeys.BURST, SnowflakeKeys.WINDOW)
                && burst.multipliedBy(2).compareTo(window) > 0) {
            reader.refuse(
                    SnowflakeKeys.BURST,
                    "is more than half the window (" + reader.shown(SnowflakeKeys.WINDOW)
                            + "), which it has to fit into. Lower it or raise the window.");
        }
        healthEnabled = reader.value(SnowflakeKeys.HEALTH_ENABLED);
        readyUntil = reader.value(SnowflakeKeys.HEALTH_READY_UNTIL);
        workers = reader.value(SnowflakeKeys.WORKERS);
        resumeDirectory = reader.optional(SnowflakeKeys.RESUME_DIRECTORY);
        unreleased = reader.value(SnowflakeKeys.CHECKPOINT_UNRELEASED);
        if (isStatic()) {
            refuseWhatStaticCanNotHonour(reader);
        } else if (reader.areRight(SnowflakeKeys.WORKERS, SnowflakeKeys.WORKER_IDS, SnowflakeKeys.WORKER_ID_BITS)
                && workers > maxWorkerId - minWorkerId + 1) {
            reader.refuse(
                    SnowflakeKeys.WORKERS,
                    "is more than the " + (maxWorkerId - minWorkerId + 1)
                            + " worker ids to claim from. Lower it, or "
                            + (reader.isSet(SnowflakeKeys.WORKER_IDS)
                                    ? "widen " + reader.nameOf(SnowflakeKeys.WORKER_IDS)
                                    : "raise " + reader.nameOf(SnowflakeKeys.WORKER_ID_BITS))
                            + ".");
        }
    }

    /** The same, for a coordinator that may use resources of the application. */
    public Settings withResources(Resources found) {
        return new Settings(generator, lookup, found, new SettingsReader(generator, lookup));
    }

    /** A static coordinator remembers nothing beyond the process, and has one worker id. */
    private void refuseWhatStaticCanNotHonour(SettingsReader reader) {
        if (namespaceCreation == NamespaceCreation.REQUIRE) {
            reader.refuse(
                    SnowflakeKeys.NAMESPACE_CREATION,
                    "asks for a namespace that is there already, and snowflake.coordinator=static keeps no namespace: no start"
                            + " could succeed. Remove it, or use a coordinator.");
        }
        if (namespaceCreation == NamespaceCreation.CREATE_FENCED) {
            reader.refuse(
                    SnowflakeKeys.NAMESPACE_CREATION,
                    "asks for a wait where the namespace is created, and snowflake.coordinator=static keeps no namespace: no start"
                            + " would wait. Remove it, or use a coordinator.");
        }
        if (workers > 1) {
            reader.refuse(
                    SnowflakeKeys.WORKERS,
                    "is more than the 1 worker id of snowflake.coordinator=static: "
                            + StaticCoordinatorProvider.WORKER_ID + " names one. Remove it, or use a coordinator.");
        }
        if (resumeDirectory.isPresent()) {
            reader.refuse(
                    SnowflakeKeys.RESUME_DIRECTORY,
                    "has no use with snowflake.coordinator=static, which is never down. Remove one of them.");
        }
    }

    /** Whether the worker id is static: then nothing is remembered beyond the process. */
    public boolean isStatic() {
        return coordinator.filter(StaticCoordinatorProvider.NAME::equals).isPresent();
    }

    private String readNamespace(SettingsReader reader) {
        String given = reader.value(SnowflakeKeys.NAMESPACE_NAME);
        boolean whole =
                generator.equals(SnowflakeSettings.DEFAULT_GENERATOR) || reader.isOwn(SnowflakeKeys.NAMESPACE_NAME);
        return whole ? given : given + "/" + generator;
    }

    private Duration readStartupTimeout(SettingsReader reader) {
        Duration least = window.multipliedBy(3).dividedBy(2);
        Duration usual = least.compareTo(USUAL_STARTUP_TIMEOUT) > 0 ? least : USUAL_STARTUP_TIMEOUT;
        Duration timeout = reader.optional(SnowflakeKeys.STARTUP_TIMEOUT).orElse(usual);
        if (reader.areRight(SnowflakeKeys.STARTUP_TIMEOUT, SnowflakeKeys.WINDOW) && timeout.compareTo(least) < 0) {
            reader.refuse(
                    SnowflakeKeys.STARTUP_TIMEOUT,
                    "is shorter than one and a half windows (" + reader.shown(SnowflakeKeys.WINDOW)
                            + "), so that a restart could fail while its predecessor's window is open."
                            + " Raise it, remove it, or lower the window.");
        }
        return timeout;
    }

    private int[] readWorkerIds(SettingsReader reader) {
        Key<String> key = isStatic() ? StaticCoordinatorProvider.WORKER_ID : SnowflakeKeys.WORKER_IDS;
        Optional<String> text = reader.optional(key);
        if (text.isEmpty()) {
            return new int[] {0, layout.maxWorkerId()};
        }
        Matcher range = RANGE.matcher(text.get());
        if (range.matches() && !(isStatic() && range.group(2) != null)) {
            int first = Integer.parseInt(range.group(1));
            int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
            if (first <= last && last <= layout.maxWorkerId()) {
                return new int[] {first, last};
            }
            if (first <= last && !reader.areRight(SnowflakeKeys.WORKER_ID_BITS)) {
                return new int[] {0, layout.maxWorkerId()};
            }
        }
        String bounds = "between 0 and " + layout.maxWorkerId() + ", as " + layout.workerIdBits() + " bits allow.";
        reader.refuse(
                key,
                isStatic()
                        ? "is not one worker id " + bounds
                        : "is not a range of worker ids " + bounds + " Write it as 0-" + layout.maxWorkerId() + ".");
        return new int[] {0, layout.maxWorkerId()};
    }

    /** The generator's name. */
    public String generator() {
        return generator;
    }

    /** The coordinator's name; empty: the only one on the class path. */
    public Optional<String> coordinator() {
        return coordinator;
    }

    /** Where worker ids are claimed, without slashes at the ends. */
    public String namespace() {
        return namespace;
    }

    public SnowflakeLayout layout() {
        return layout;
    }

    int idBits() {
        return idBits;
    }

    /** No grant goes beyond it, so that it is never issued: no id has more than {@code snowflake.id-bits}. */
    public long lastTick() {
        return lastTick(idBits, layout.workerIdBits() + layout.sequenceBits());
    }

    /** The last tick of ids of that many bits, of which the lower ones are worker id and sequence. */
    static long lastTick(int idBits, int lowerBits) {
        return (1L << (idBits - lowerBits)) - 1;
    }

    /** No id is dated at or after this instant. */
    public Instant exhaustedAt() {
        return layout.instantOf(lastTick());
    }

    /** When timestamps end and what to do then, to follow "the". */
    public String endOfTimestamps() {
        String bound = boundOfIds();
        return "timestamps of " + layout + bound + " end at "
                + exhaustedAt()
                + ", and ids with them. Use a new namespace with a later epoch, for a column of its own: in the"
                + " old one ids would repeat."
                + (bound.isEmpty()
                        ? ""
                        : " Or raise " + nameOf(SnowflakeKeys.ID_BITS)
                                + ", if all who read the ids keep so many bits.");
    }

    /** To follow the layout; empty if it alone says when timestamps end. */
    public String boundOfIds() {
        return idBits < SnowflakeLayout.ID_BITS ? " with " + shown(SnowflakeKeys.ID_BITS) : "";
    }

    /** The key that is in force, for messages: the generator's own where it is set. */
    public String nameOf(Key<?> key) {
        return new SettingsReader(generator, lookup).nameOf(key);
    }

    /** Key and value, as messages name them. */
    public String shown(Key<?> key) {
        return new SettingsReader(generator, lookup).shown(key);
    }

    /** How far ahead timestamps are reserved, and the time to live of the owner entry. */
    public Duration window() {
        return window;
    }

    /** Whether a readiness check is registered. */
    public boolean healthEnabled() {
        return healthEnabled;
    }

    public ReadyUntil readyUntil() {
        return readyUntil;
    }

    public NamespaceCreation namespaceCreation() {
        return namespaceCreation;
    }

    public int workers() {
        return workers;
    }

    /** Empty: a process that can't reach its coordinator does not start. */
    public Optional<Path> resumeDirectory() {
        return resumeDirectory;
    }

    /** What a checkpoint does with a worker id that can't be given back. */
    public Unreleased unreleased() {
        return unreleased;
    }

    public int minWorkerId() {
        return minWorkerId;
    }

    public int maxWorkerId() {
        return maxWorkerId;
    }

    public Duration startupTimeout() {
        return startupTimeout;
    }

    public Duration startupAhead() {
        return startupAhead;
    }

    public Duration waitTimeout() {
        return waitTimeout;
    }

    public OnRollback onRollback() {
        return onRollback;
    }

    public Duration maxWait() {
        return maxWait;
    }

    public Duration maxAhead() {
        return maxAhead;
    }

    public Duration maxLag() {
        return maxLag;
    }

    public Duration maxSkew() {
        return maxSkew;
    }

    public Duration burst() {
        return burst;
    }

    /** What the coordinator is opened with. */
    public CoordinatorConfig coordinatorConfig() {
        return new CoordinatorConfig(generator, namespace, window, lookup, resources);
    }

    @Override
    public String toString() {
        return "snowflake '" + generator + "' in namespace '" + namespace + "' with " + layout;
    }
}
