// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Everything a generator is configured with, checked once and immutable. The keys are those of MicroProfile Config, wherever
 * the values come from, so that code and configuration can do the same.
 */
public final class SnowflakeSettings {

    /** The name of the generator that carries no name. */
    public static final String DEFAULT_GENERATOR = "default";

    /** What a caller meets when the clock stepped back. Ids increase in every case. */
    public enum OnRollback {
        /** Wait until the clock has caught up, at most {@code snowflake.clock.max-wait}. */
        WAIT,
        /** Fail at once. */
        FAIL,
        /** Hold the logical time and go on, at most {@code snowflake.clock.max-ahead} ahead of the clock. */
        CONTINUE
    }

    /** What happens at a coordinator that does not know the namespace. */
    public enum NamespaceCreation {
        /** Create it. */
        CREATE,
        /** Create it such that windows still open from before a loss of all data are over before the first id. */
        CREATE_FENCED,
        /** Refuse to start. */
        REQUIRE
    }

    private static final String PREFIX = "snowflake.";
    private static final Pattern GENERATOR_NAME = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");
    private static final Pattern NAMESPACE =
            Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*");
    private static final Pattern RANGE = Pattern.compile("(\\d{1,7})(?:-(\\d{1,7}))?");

    /** Names of entries beside which the namespace of a named generator is stored. */
    private static final Set<String> RESERVED = Set.of("workers", "marks", "meta");

    /** What {@code snowflake.generators.<name>.} can set; the rest holds for all generators. */
    private static final Set<String> PER_GENERATOR = Set.of(
            "namespace",
            "epoch",
            "worker-id-bits",
            "sequence-bits",
            "worker-ids",
            "window",
            "clock.on-rollback",
            "clock.max-wait",
            "clock.max-ahead",
            "clock.max-skew",
            "burst");

    private static final Set<String> FOR_ALL_GENERATORS = Set.of(
            "coordinator",
            "namespace-creation",
            "startup-timeout",
            "startup-ahead",
            "wait-timeout",
            "workers",
            "health.enabled",
            "static.worker-id");

    private final String generator;
    private final Function<String, @Nullable String> lookup;
    private final List<String> problems = new ArrayList<>();

    private final Optional<String> coordinator;
    private final String namespace;
    private final NamespaceCreation namespaceCreation;
    private final SnowflakeLayout layout;
    private final int minWorkerId;
    private final int maxWorkerId;
    private final Duration window;
    private final Duration startupTimeout;
    private final Duration startupAhead;
    private final Duration waitTimeout;
    private final OnRollback onRollback;
    private final Duration maxWait;
    private final Duration maxAhead;
    private final Duration maxSkew;
    private final Duration burst;
    private final boolean healthEnabled;
    private final int workers;

    /** The settings of the unnamed generator, from full key names such as {@code snowflake.window}. */
    public static SnowflakeSettings of(Map<String, String> values) {
        return of(DEFAULT_GENERATOR, values::get);
    }

    /**
     * @param generator {@value #DEFAULT_GENERATOR}, or a name matching {@code [a-z0-9]+(-[a-z0-9]+)*}
     * @param lookup a value by exact key; null if it is not set
     * @throws InvalidSettingsException naming every bad value at once
     */
    public static SnowflakeSettings of(String generator, Function<String, @Nullable String> lookup) {
        return new SnowflakeSettings(generator, lookup);
    }

    private SnowflakeSettings(String generator, Function<String, @Nullable String> lookup) {
        this.generator = generator;
        this.lookup = lookup;
        if (!GENERATOR_NAME.matcher(generator).matches() || RESERVED.contains(generator)) {
            throw new InvalidSettingsException(
                    List.of("snowflake '" + generator + "': a generator's name is lower-case letters"
                            + " and digits in groups joined by '-', and none of workers, marks, meta. Rename it."));
        }
        refuseMisplacedKeys();

        coordinator = text("coordinator");
        namespace = readNamespace();
        namespaceCreation = choice("namespace-creation", NamespaceCreation.class, NamespaceCreation.CREATE);
        layout = readLayout();
        int[] ids = readWorkerIds();
        minWorkerId = ids[0];
        maxWorkerId = ids[1];
        window = duration("window", "PT60S", "PT3S", "PT1H");
        startupTimeout = duration("startup-timeout", "PT90S", "PT1S", "P1D");
        if (startupTimeout.multipliedBy(2).compareTo(window.multipliedBy(3)) < 0) {
            problem(
                    "startup-timeout",
                    shown("startup-timeout", startupTimeout),
                    "is shorter than one and a half windows (" + key("window") + "=" + shown("window", window)
                            + "), so that a restart could fail while its predecessor's window is open. Raise it or lower the window.");
        }
        startupAhead = duration("startup-ahead", "PT0S", "PT0S", "PT1H");
        waitTimeout = duration("wait-timeout", "PT2S", "PT0S", "PT1H");
        onRollback = choice("clock.on-rollback", OnRollback.class, OnRollback.WAIT);
        maxWait = duration("clock.max-wait", "PT0.5S", "PT0S", "PT1H");
        maxAhead = duration("clock.max-ahead", "PT5S", "PT0S", "PT1H");
        maxSkew = duration("clock.max-skew", "PT10S", "PT1S", "PT1H");
        burst = duration("burst", "PT0S", "PT0S", "PT1H");
        if (burst.multipliedBy(2).compareTo(window) > 0) {
            problem(
                    "burst",
                    shown("burst", burst),
                    "is more than half the window (" + key("window") + "=" + shown("window", window)
                            + "), which it has to fit into. Lower it or raise the window.");
        }
        healthEnabled = readBoolean("health.enabled", true);
        workers = integer("workers", 1, 1, 64);
        if (workers > maxWorkerId - minWorkerId + 1) {
            problem(
                    "workers",
                    Integer.toString(workers),
                    "is more than the " + (maxWorkerId - minWorkerId + 1) + " worker ids to claim from"
                            + (coordinator
                                            .filter(StaticCoordinatorProvider.NAME::equals)
                                            .isPresent()
                                    ? ": snowflake.static.worker-id names one. Remove it, or use a coordinator."
                                    : ". Lower it, or widen " + key("worker-ids") + "."));
        }

        if (!problems.isEmpty()) {
            throw new InvalidSettingsException(problems);
        }
    }

    private void refuseMisplacedKeys() {
        if (generator.equals(DEFAULT_GENERATOR)) {
            return;
        }
        for (String name : FOR_ALL_GENERATORS) {
            String key = PREFIX + "generators." + generator + "." + name;
            String value = lookup.apply(key);
            if (value != null) {
                problems.add(message(
                        key, value, "can't be set for one generator. Set " + PREFIX + name + " for all of them."));
            }
        }
    }

    private String readNamespace() {
        Optional<String> own = generator.equals(DEFAULT_GENERATOR)
                ? text("namespace")
                : strip(lookup.apply(PREFIX + "generators." + generator + ".namespace"));
        if (own.isPresent()) {
            return checkNamespace(key("namespace"), own.get());
        }
        String shared = checkNamespace(
                PREFIX + "namespace", strip(lookup.apply(PREFIX + "namespace")).orElse("snowflake"));
        return generator.equals(DEFAULT_GENERATOR) ? shared : shared + "/" + generator;
    }

    private String checkNamespace(String key, String value) {
        boolean reserved = List.of(value.split("/")).stream().anyMatch(RESERVED::contains);
        if (reserved || !NAMESPACE.matcher(value).matches()) {
            problems.add(message(
                    key,
                    value,
                    "is not a namespace. Write letters, digits, '.', '_' and '-', in parts joined by '/',"
                            + " no part being workers, marks or meta, and no '/' at either end: snowflake/orders."));
        }
        return value;
    }

    private SnowflakeLayout readLayout() {
        Instant epoch = SnowflakeLayout.STANDARD.epoch();
        Optional<String> text = text("epoch");
        if (text.isPresent()) {
            try {
                epoch = Instant.parse(text.get());
                if (epoch.getNano() % 1_000_000 != 0) {
                    problem("epoch", text.get(), "is finer than a millisecond. Drop the last digits.");
                }
                if (epoch.isBefore(Instant.EPOCH) || epoch.isAfter(Instant.parse("9999-12-31T23:59:59Z"))) {
                    problem("epoch", text.get(), "is not between 1970 and 9999. Use an instant in the recent past.");
                }
            } catch (DateTimeException e) {
                problem("epoch", text.get(), "is not an instant in UTC. Write it as 2020-01-01T00:00:00Z.");
            }
        }
        int workerIdBits = integer("worker-id-bits", SnowflakeLayout.STANDARD.workerIdBits(), 1, 20);
        int sequenceBits = integer("sequence-bits", SnowflakeLayout.STANDARD.sequenceBits(), 1, 20);
        return problems.isEmpty() ? new SnowflakeLayout(epoch, workerIdBits, sequenceBits) : SnowflakeLayout.STANDARD;
    }

    private int[] readWorkerIds() {
        boolean fixed =
                coordinator.filter(StaticCoordinatorProvider.NAME::equals).isPresent();
        String name = fixed ? "static.worker-id" : "worker-ids";
        Optional<String> text = text(name);
        if (text.isEmpty()) {
            if (fixed) {
                problems.add("snowflake '" + generator + "': " + PREFIX + name + " is not set. With " + PREFIX
                        + "coordinator=static give each process its own worker id there.");
            }
            return new int[] {0, layout.maxWorkerId()};
        }
        var matcher = RANGE.matcher(text.get());
        if (matcher.matches() && !(fixed && matcher.group(2) != null)) {
            int first = Integer.parseInt(matcher.group(1));
            int last = matcher.group(2) == null ? first : Integer.parseInt(matcher.group(2));
            if (first <= last && last <= layout.maxWorkerId()) {
                return new int[] {first, last};
            }
        }
        problem(
                name,
                text.get(),
                fixed
                        ? "is not one worker id between 0 and " + layout.maxWorkerId() + ", as " + layout.workerIdBits()
                                + " bits allow."
                        : "is not a range of worker ids between 0 and " + layout.maxWorkerId() + ", as "
                                + layout.workerIdBits() + " bits allow. Write it as 0-" + layout.maxWorkerId() + ".");
        return new int[] {0, 0};
    }

    private Duration duration(String name, String standard, String min, String max) {
        Duration lowest = Duration.parse(min);
        Duration highest = Duration.parse(max);
        Optional<String> text = text(name);
        if (text.isEmpty()) {
            return Duration.parse(standard);
        }
        try {
            Duration value = Duration.parse(text.get());
            if (value.compareTo(lowest) >= 0 && value.compareTo(highest) <= 0) {
                return value;
            }
            problem(name, text.get(), "is not between " + min + " and " + max + ". The default is " + standard + ".");
        } catch (DateTimeException e) {
            problem(
                    name,
                    text.get(),
                    "is not an ISO-8601 duration. Write it as " + standard + ", between " + min + " and " + max + ".");
        }
        return Duration.parse(standard);
    }

    private int integer(String name, int standard, int min, int max) {
        Optional<String> text = text(name);
        if (text.isEmpty()) {
            return standard;
        }
        try {
            int value = Integer.parseInt(text.get());
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // falls through to the same complaint
        }
        problem(
                name,
                text.get(),
                "is not a whole number between " + min + " and " + max + ". The default is " + standard + ".");
        return standard;
    }

    private boolean readBoolean(String name, boolean standard) {
        Optional<String> text = text(name);
        if (text.isEmpty() || text.get().equals("true") || text.get().equals("false")) {
            return text.map(Boolean::parseBoolean).orElse(standard);
        }
        problem(name, text.get(), "is neither true nor false. The default is " + standard + ".");
        return standard;
    }

    private <E extends Enum<E>> E choice(String name, Class<E> type, E standard) {
        Optional<String> text = text(name);
        List<String> names = new ArrayList<>();
        for (E constant : type.getEnumConstants()) {
            names.add(constant.name().toLowerCase(Locale.ROOT).replace('_', '-'));
            if (text.isPresent() && text.get().equals(names.get(names.size() - 1))) {
                return constant;
            }
        }
        text.ifPresent(t -> problem(name, t, "is none of " + String.join(", ", names) + "."));
        return standard;
    }

    private Optional<String> text(String name) {
        return strip(lookup.apply(key(name)));
    }

    private static Optional<String> strip(@Nullable String value) {
        return Optional.ofNullable(value).map(String::strip).filter(v -> !v.isEmpty());
    }

    /** The key that gives this generator its value: its own where it is set, else the one for all generators. */
    private String key(String name) {
        String own = PREFIX + "generators." + generator + "." + name;
        boolean ownIsSet =
                !generator.equals(DEFAULT_GENERATOR) && PER_GENERATOR.contains(name) && lookup.apply(own) != null;
        return ownIsSet ? own : PREFIX + name;
    }

    /** As it was written, where it was. */
    private String shown(String name, Duration value) {
        return text(name).orElse(value.toString());
    }

    private void problem(String name, String value, String complaint) {
        problems.add(message(key(name), value, complaint));
    }

    private String message(String key, String value, String complaint) {
        return "snowflake '" + generator + "': " + key + "=" + value + " " + complaint;
    }

    /** The generator's name. */
    public String generator() {
        return generator;
    }

    /** Empty: the only coordinator on the class path. */
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

    /** Timestamps reserved ahead, and the time to live of the owner entry. */
    public Duration window() {
        return window;
    }

    /** Whether a readiness check is registered. */
    public boolean healthEnabled() {
        return healthEnabled;
    }

    NamespaceCreation namespaceCreation() {
        return namespaceCreation;
    }

    int workers() {
        return workers;
    }

    int minWorkerId() {
        return minWorkerId;
    }

    int maxWorkerId() {
        return maxWorkerId;
    }

    Duration startupTimeout() {
        return startupTimeout;
    }

    Duration startupAhead() {
        return startupAhead;
    }

    Duration waitTimeout() {
        return waitTimeout;
    }

    OnRollback onRollback() {
        return onRollback;
    }

    Duration maxWait() {
        return maxWait;
    }

    Duration maxAhead() {
        return maxAhead;
    }

    Duration maxSkew() {
        return maxSkew;
    }

    Duration burst() {
        return burst;
    }

    /** Settings of coordinators, by exact key. */
    Function<String, @Nullable String> lookup() {
        return lookup;
    }

    @Override
    public String toString() {
        return "snowflake '" + generator + "' in namespace '" + namespace + "' with " + layout;
    }
}
