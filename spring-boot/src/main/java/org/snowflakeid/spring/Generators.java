// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeEvent;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeUnavailableException;
import org.snowflakeid.config.UnknownKeys;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.ClassUtils;

/** Opens the generators of one context. Each is a bean, which Spring closes if it was finished. */
final class Generators implements SmartInitializingSingleton, DisposableBean {

    static final String BEAN = "snowflakeGenerators";

    /** How the names of the generators' beans begin. */
    static final String BEAN_PREFIX = "snowflake.";

    private static final System.Logger LOG = System.getLogger(Generators.class.getName());

    private final ConfigurableApplicationContext context;
    private final ConfiguredKeys keys;

    private final Map<String, LeasedSnowflake> open = new ConcurrentSkipListMap<>();
    private final Map<String, String> generatorsByNamespace = new ConcurrentHashMap<>();
    private final List<Consumer<Snowflake>> observers = new CopyOnWriteArrayList<>();

    /** Whether there are listeners to events: known once all beans are made, or the context was closed before that. */
    private final CompletableFuture<Boolean> listening = new CompletableFuture<>();

    /** Whether nothing is wrong with keys, whichever generators are used. */
    private boolean known;

    private volatile boolean closed;

    /** Kept for as long as this is: nothing else has a reference to it. Null: checkpoints are not known here. */
    @SuppressWarnings("unused")
    private final @Nullable Object checkpoints;

    Generators(ConfigurableApplicationContext context) {
        this.context = context;
        this.checkpoints = ClassUtils.isPresent(CheckpointResource.CRAC, Generators.class.getClassLoader())
                ? CheckpointResource.register(open.values())
                : null;
        this.keys = new ConfiguredKeys(context.getEnvironment());
    }

    /**
     * Claims a worker id.
     *
     * @throws org.snowflakeid.SnowflakeException saying why there is none
     */
    Snowflake open(String generator) {
        if (!context.isActive()) {
            throw new SnowflakeUnavailableException("snowflake '" + generator
                    + "': the application context is closed. Ask for no generator after that.");
        }
        LeasedSnowflake unfinished = open.get(generator);
        if (unfinished != null) {
            // Spring asks again where a post-processor threw.
            return unfinished;
        }
        SnowflakeSettings settings = settings(generator).withResources(new ContextResources(context, generator));
        String other = generatorsByNamespace.putIfAbsent(settings.namespace(), generator);
        if (other != null) {
            throw new InvalidSettingsException(List.of(sharedNamespace(generator, other, settings.namespace())));
        }
        LeasedSnowflake ids;
        try {
            ids = LeasedSnowflake.open(settings, this::tell);
        } catch (RuntimeException | Error e) {
            generatorsByNamespace.remove(settings.namespace());
            throw e;
        }
        open.put(generator, ids);
        if (closed) {
            // It was claimed while Spring closed the others: Spring would not close this one.
            ids.close();
        }
        observers.forEach(observer -> observe(observer, ids));
        return ids;
    }

    /** With what is wrong with any key, when the first generator is opened. */
    private synchronized SnowflakeSettings settings(String generator) {
        if (known) {
            return keys.settings(generator);
        }
        List<String> problems = problemsOfAny();
        try {
            SnowflakeSettings settings = keys.settings(generator);
            if (problems.isEmpty()) {
                known = true;
                return settings;
            }
        } catch (InvalidSettingsException e) {
            add(e.problems(), problems);
        }
        throw new InvalidSettingsException(problems);
    }

    private static void add(List<String> more, List<String> problems) {
        more.stream().filter(problem -> !problems.contains(problem)).forEach(problems::add);
    }

    /** What is wrong with keys whichever generators are used: while beans are made, that is not known yet. */
    private List<String> problemsOfAny() {
        return new ArrayList<>(keys.unknown(keys.generators()).problems());
    }

    /** Also where nothing is claimed at the start, as where {@code snowflake.claim-at-start} is misspelt. */
    private synchronized void requireKnownKeys(List<String> claimedAtStart) {
        List<String> problems = problemsOfAny();
        UnknownKeys unknown = keys.unknown(used(claimedAtStart));
        if (problems.isEmpty()) {
            unknown.problems()
                    .forEach(problem -> problems.add(problem
                            + " If a bean asks for the generator of that name only later, add the generator to"
                            + " snowflake.claim-at-start."));
        }
        for (String generator : claimedAtStart) {
            try {
                SnowflakeSettings unused = isOurs(generator) ? keys.settings(generator) : null;
            } catch (InvalidSettingsException e) {
                add(e.problems(), problems);
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidSettingsException(problems);
        }
        known = true;
        unknown.warn();
    }

    /** Without those that only keys name: such a name may be misspelt. */
    private Set<String> used(List<String> claimedAtStart) {
        Set<String> used = new TreeSet<>(claimedAtStart);
        used.add(SnowflakeSettings.DEFAULT_GENERATOR);
        used.addAll(open.keySet());
        OwnBeans own = new OwnBeans(context.getBeanFactory());
        keys.generators().stream()
                .filter(generator -> !isOurs(generator) && own.replace(generator))
                .forEach(used::add);
        return used;
    }

    private static String sharedNamespace(String generator, String other, String namespace) {
        return "snowflake '" + generator + "': namespace '" + namespace + "' is that of generator '" + other
                + "' too, and one process must not claim two worker ids there. Inject one of them in both places,"
                + " or give one another namespace: " + namespaceKey(generator) + " or " + namespaceKey(other) + ".";
    }

    private static String namespaceKey(String generator) {
        return generator.equals(SnowflakeSettings.DEFAULT_GENERATOR)
                ? "snowflake.namespace"
                : "snowflake.generators." + generator + ".namespace";
    }

    /** Called on a thread of the generator's own, which may wait. */
    private void tell(SnowflakeEvent event) {
        if (listening.join()) {
            context.publishEvent(event);
        }
    }

    /** For each generator that is open, and for each that will be. */
    void forEach(Consumer<Snowflake> observer) {
        observers.add(observer);
        open.values().forEach(ids -> observe(observer, ids));
    }

    private static void observe(Consumer<Snowflake> observer, Snowflake ids) {
        try {
            observer.accept(ids);
        } catch (RuntimeException | LinkageError e) {
            // Also where the library is of another version: metrics are not worth a start.
            LOG.log(
                    Level.WARNING,
                    "snowflake '" + ids.status().generator() + "': no metrics, because the registry failed",
                    e);
        }
    }

    ConfiguredKeys keys() {
        return keys;
    }

    /** Those that are open, by their names. */
    Map<String, LeasedSnowflake> open() {
        return open;
    }

    /** Those of the application, open or not. Of a generator that it replaced by a bean of its own nothing is known here. */
    List<String> all() {
        return keys.generators().stream().filter(this::isOurs).toList();
    }

    private boolean isOurs(String generator) {
        return context.containsBeanDefinition(BEAN_PREFIX + generator);
    }

    /** Spring calls it when it has made all beans that are not lazy, and before a web server takes requests. */
    @Override
    public void afterSingletonsInstantiated() {
        List<String> claimedAtStart = keys.claimedAtStart();
        // Before they are claimed, which fixes their layouts.
        requireKnownKeys(claimedAtStart);
        claimedAtStart.forEach(this::claim);
        listening.complete(true);
    }

    private void claim(String generator) {
        OwnBeans own = new OwnBeans(context.getBeanFactory());
        if (isOurs(generator) || (!own.hide(generator, keys.generators()) && isOursInAParent(generator))) {
            Object unused = context.getBean(BEAN_PREFIX + generator);
        } else if (!generator.equals(SnowflakeSettings.DEFAULT_GENERATOR) && !own.replace(generator)) {
            throw new InvalidSettingsException(List.of("snowflake '" + generator
                    + "': snowflake.claim-at-start names this generator, and the application was prepared ahead of time"
                    + " (AOT) without it. Set the key for the build too."));
        }
    }

    private boolean isOursInAParent(String generator) {
        return context.getParent() != null && context.getParent().containsBean(BEAN_PREFIX + generator);
    }

    @Override
    public void destroy() {
        closed = true;
        listening.complete(false);
        // Spring does not know a bean that was never finished, as where a post-processor threw: its worker id would be
        // held until the JVM ends. All others depend on this bean, and are closed already.
        LeasedSnowflake.closeAll(open.values());
    }
}
