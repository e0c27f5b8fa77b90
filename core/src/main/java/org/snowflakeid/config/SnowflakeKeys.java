// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.config.Key.Use;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** The table of keys. Those of coordinators are declared by their providers. */
public final class SnowflakeKeys {

    /** Names of entries next to which the namespace of a named generator is stored. */
    static final Set<String> RESERVED = Set.of("workers", "marks", "meta");

    public static final Duration LONGEST_WINDOW = Duration.ofHours(1);

    public static final Duration LARGEST_SKEW = Duration.ofHours(1);

    private static final Pattern NAMESPACE =
            Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*");

    private static final Pattern GENERATOR = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

    /** In words, what its pattern and the reserved names say. */
    static final String NAME_OF_A_GENERATOR =
            "a generator's name is lower-case letters and digits in groups joined by '-', and none of workers, marks, meta.";

    static final Key<String> COORDINATOR = Key.text("snowflake.coordinator")
            .otherwise("the only one on the class path")
            .use(Use.ESSENTIAL)
            .meaning(
                    "Name of the coordinator: `etcd`, `zookeeper`, `jdbc`, `redis`, `kubernetes`, `consul`, `nacos`, `file`, `static`, `memory` or that of another one.");

    public static final Key<String> NAMESPACE_NAME = Key.text(
                    "snowflake.namespace",
                    SnowflakeKeys::isNamespace,
                    "is not a namespace. Write letters, digits, '.', '_' and '-', in parts joined by '/',"
                            + " no part being workers, marks or meta, and no '/' at either end: snowflake/orders.",
                    "parts joined by `/`")
            .standard("snowflake")
            .use(Use.ESSENTIAL)
            .perGenerator()
            .meaning("Where worker ids are claimed; ids are unique within it."
                    + " A generator `orders` uses `<snowflake.namespace>/orders` unless it has its own.");

    public static final Key<NamespaceCreation> NAMESPACE_CREATION = Key.choice(
                    "snowflake.namespace-creation", NamespaceCreation.class)
            .standard("create")
            .use(Use.ESSENTIAL)
            .meaning(
                    "What a start does at a coordinator without this namespace: `create` it, `create-fenced` it with ids that begin"
                            + " above all that a lost one may have reserved if no window was longer and no two clocks differed by more"
                            + " than twice `snowflake.clock.max-skew`, or `require` it and be refused, which is the production setting.");

    public static final Key<Instant> EPOCH = Key.instant(
                    "snowflake.epoch", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z")
            .standard("2020-01-01T00:00:00Z")
            .use(Use.ESSENTIAL)
            .perGenerator()
            .meaning("Timestamp 0; fixed once the namespace exists.");

    public static final Key<Integer> WORKER_ID_BITS = Key.integer("snowflake.worker-id-bits", 1, 20)
            .standard("10")
            .use(Use.ESSENTIAL)
            .perGenerator()
            .meaning("How many worker ids there are, as a power of two; fixed once the namespace exists.");

    public static final Key<Integer> SEQUENCE_BITS = Key.integer("snowflake.sequence-bits", 1, 20)
            .standard("12")
            .use(Use.ESSENTIAL)
            .perGenerator()
            .meaning(
                    "How many ids a worker id has per millisecond, as a power of two; fixed once the namespace exists.");

    static final Key<Integer> ID_BITS = Key.integer("snowflake.id-bits", 53, 63)
            .standard("63")
            .use(Use.ESSENTIAL)
            .perGenerator()
            .meaning("Every id has at most so many bits; with `53` JavaScript keeps it as a number."
                    + " The timestamp gets fewer bits and ends sooner:"
                    + " [a layout that lasts](json-and-rest.md#ids-that-javascript-keeps).");

    public static final Key<String> WORKER_IDS = Key.text(
                    "snowflake.worker-ids", text -> true, "", "a range such as `0-511`")
            .otherwise("all")
            .use(Use.OFTEN)
            .perGenerator()
            .meaning("The worker ids to claim from.");

    static final Key<Duration> WINDOW = Key.duration("snowflake.window", "PT3S", LONGEST_WINDOW.toString())
            .standard("PT60S")
            .use(Use.OFTEN)
            .perGenerator()
            .meaning("Timestamps reserved ahead, and the owner's time to live."
                    + " Two thirds of it is the longest outage that stops no ids.");

    static final Key<Duration> STARTUP_TIMEOUT = Key.duration("snowflake.startup-timeout", "PT1S", "P1D")
            .otherwise("`PT90S`, or one and a half windows if that is longer")
            .use(Use.OFTEN)
            .meaning(
                    "How long a start keeps trying; at least one and a half windows. After a restore or a move, and with"
                            + " `create-fenced`, it waits longer: until ids may begin.");

    static final Key<Duration> STARTUP_AHEAD = Key.duration("snowflake.startup-ahead", "PT0S", "PT1H")
            .standard("PT0S")
            .meaning(
                    "How far ahead of the clock ids may begin when every free worker id is still reserved, instead of waiting"
                            + " until the reservation of a killed process ends.");

    static final Key<Duration> WAIT_TIMEOUT = Key.duration("snowflake.wait-timeout", "PT0S", "PT1H")
            .standard("PT2S")
            .use(Use.OFTEN)
            .meaning(
                    "When the reserved timestamps are used up, a call waits so long for the coordinator; after a jump of the clock,"
                            + " until that clock was compared with others. If it lasts longer, calls fail at once.");

    static final Key<Integer> WORKERS = Key.integer("snowflake.workers", 1, 64)
            .standard("1")
            .use(Use.OFTEN)
            .meaning("Worker ids leased by one generator, for as many times the ids per millisecond."
                    + " With more than one, ids increase per thread; over threads to the millisecond.");

    static final Key<Boolean> HEALTH_ENABLED = Key.bool("snowflake.health.enabled")
            .standard("true")
            .use(Use.OFTEN)
            .meaning("Whether there is a readiness check `snowflake`.");

    static final Key<ReadyUntil> HEALTH_READY_UNTIL = Key.choice("snowflake.health.ready-until", ReadyUntil.class)
            .standard("third-left")
            .use(Use.OFTEN)
            .meaning(
                    "How long readiness stays UP without the coordinator: until a third of the window is left (`third-left`), so that traffic"
                            + " goes elsewhere in time, or as long as there are ids (`window-end`).");

    public static final Key<String> CLAIM_AT_START = Key.text(
                    "snowflake.claim-at-start",
                    SnowflakeKeys::areGenerators,
                    "is no list of generators. Write names of lower-case letters and digits in groups joined by '-',"
                            + " with commas between them: default,orders. None may be workers, marks or meta.",
                    "names of generators, joined by commas")
            .meaning(
                    "With CDI or Spring Boot: generators that are claimed and checked at the start"
                            + " in addition to those that injection points and entities name; `default` is the one without a name.");

    public static final Key<OnRollback> ON_ROLLBACK = Key.choice("snowflake.clock.on-rollback", OnRollback.class)
            .standard("wait")
            .perGenerator()
            .meaning(
                    "While the clock is behind the last id, a call waits for it, up to `snowflake.clock.max-wait` (`wait`),"
                            + " fails at once (`fail`), or gets an id ahead of it, up to `snowflake.clock.max-ahead` (`continue`).");

    public static final Key<Duration> MAX_WAIT = Key.duration("snowflake.clock.max-wait", "PT0S", "PT1H")
            .standard("PT0.5S")
            .perGenerator()
            .meaning(
                    "For `wait`, and for `continue` beyond `snowflake.clock.max-ahead`: so long a call waits for a clock that is behind."
                            + " If it is further behind, calls fail at once.");

    public static final Key<Duration> MAX_AHEAD = Key.duration("snowflake.clock.max-ahead", "PT0S", "PT1H")
            .standard("PT5S")
            .perGenerator()
            .meaning("For `continue`: how far ids may be ahead of the clock.");

    public static final Key<Duration> MAX_SKEW = Key.duration(
                    "snowflake.clock.max-skew", "PT1S", LARGEST_SKEW.toString())
            .standard("PT10S")
            .perGenerator()
            .meaning(
                    "A jump of the clock beyond it is checked against other clocks before it is believed, and a clock that is off"
                            + " by more from the coordinator's is not believed.");

    static final Key<Duration> MAX_LAG = Key.duration("snowflake.clock.max-lag", "PT0S", "PT1S")
            .standard("PT0.01S")
            .perGenerator()
            .meaning(
                    "Only while more ids are wanted than there are: milliseconds that the callers slept through are still used if"
                            + " they are at most this old. `PT0S`: they never are.");

    static final Key<Duration> BURST = Key.duration("snowflake.burst", "PT0S", "PT1H")
            .standard("PT0S")
            .perGenerator()
            .meaning(
                    "How far a burst may run ahead of the clock; at most half a window. `status()`, the readiness check"
                            + " (`driftMillis`) and [a gauge](operations.md#what-to-watch) show how far ids are ahead.");

    public static final Key<Path> RESUME_DIRECTORY = Key.localFolder("snowflake.resume.directory")
            .meaning(
                    "A folder on this host, which must exist, for notes of each worker id: a process that is restarted while"
                            + " the coordinator is down goes on with the worker id of the one before, to the end of its window."
                            + " [Linux only](resume.md).");

    public static final Key<Unreleased> CHECKPOINT_UNRELEASED = Key.choice(
                    "snowflake.checkpoint.unreleased", Unreleased.class)
            .standard("refuse")
            .meaning(
                    "Before a [checkpoint](checkpoint.md), where the coordinator does not confirm that the worker ids were given back:"
                            + " `refuse` the checkpoint and go on, or `allow` it; then they stay taken until their window ends.");

    static final Key<String> IGNORE = Key.text(
                    "snowflake.ignore", text -> true, "", "keys joined by commas, each perhaps ending in `*`")
            .meaning("Keys below `snowflake.` that belong to other software,"
                    + " so that they are neither reported nor refused as misspelt, and environment variables of theirs"
                    + " not read as one of our keys.");

    private static final List<Key<?>> CORE = List.of(
            COORDINATOR,
            NAMESPACE_NAME,
            NAMESPACE_CREATION,
            EPOCH,
            WORKER_ID_BITS,
            SEQUENCE_BITS,
            ID_BITS,
            WORKER_IDS,
            WINDOW,
            STARTUP_TIMEOUT,
            WAIT_TIMEOUT,
            WORKERS,
            HEALTH_ENABLED,
            HEALTH_READY_UNTIL,
            CLAIM_AT_START,
            STARTUP_AHEAD,
            BURST,
            ON_ROLLBACK,
            MAX_WAIT,
            MAX_AHEAD,
            MAX_SKEW,
            MAX_LAG,
            RESUME_DIRECTORY,
            CHECKPOINT_UNRELEASED,
            IGNORE);

    private SnowflakeKeys() {}

    private static boolean isNamespace(String text) {
        return NAMESPACE.matcher(text).matches()
                && List.of(text.split("/")).stream().noneMatch(RESERVED::contains);
    }

    static boolean isGenerator(String name) {
        return GENERATOR.matcher(name).matches() && !RESERVED.contains(name);
    }

    private static boolean areGenerators(String text) {
        return Stream.of(text.split(",", -1)).map(String::strip).allMatch(SnowflakeKeys::isGenerator);
    }

    /** The keys of core, whatever the coordinator. */
    public static List<Key<?>> core() {
        return CORE;
    }

    /** {@link #core()}, and those of the coordinators that {@link LeasedSnowflake#open(SnowflakeSettings)} would find, by their names. */
    public static List<Key<?>> all() {
        return all(Coordinators.loader());
    }

    /** {@link #core()}, and those of the coordinators that a class loader finds, by their names. */
    public static List<Key<?>> all(ClassLoader loader) {
        List<Key<?>> all = new ArrayList<>(CORE);
        Coordinators.loadable(loader).stream()
                .map(WorkerCoordinatorProvider::keys)
                .forEach(all::addAll);
        return List.copyOf(all);
    }
}
