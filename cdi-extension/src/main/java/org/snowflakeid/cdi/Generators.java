// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.inject.AmbiguousResolutionException;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanContainer;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.enterprise.inject.spi.DefinitionException;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.inject.Singleton;
import java.lang.System.Logger.Level;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.ConfigValue;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeEvent;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.config.UnknownKeys;
import org.snowflakeid.config.UnresolvedValueException;

/**
 * What the two extensions share. Only its container keeps which generators an application has, so that several applications in one server
 * share nothing.
 */
final class Generators {

    private static final System.Logger LOG = System.getLogger(Generators.class.getName());

    private Generators() {}

    static Annotation qualifier(String generator) {
        return generator.equals(SnowflakeSettings.DEFAULT_GENERATOR)
                ? Default.Literal.INSTANCE
                : SnowflakeName.Literal.of(generator);
    }

    /**
     * What a {@link GeneratorReference} names.
     *
     * @throws DefinitionException if it has no {@code String value()}
     */
    static String referenced(Annotation reference) {
        try {
            return (String) reference.annotationType().getMethod("value").invoke(reference);
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new DefinitionException(
                    reference.annotationType().getName() + " is a @GeneratorReference and has no String value()", e);
        }
    }

    /** All qualifiers of its bean and its events: the unnamed generator can be injected by name too. */
    static Annotation[] qualifiers(String generator) {
        SnowflakeName name = SnowflakeName.Literal.of(generator);
        // Default last: Weld drops it when another is added to a bean.
        return generator.equals(SnowflakeSettings.DEFAULT_GENERATOR)
                ? new Annotation[] {name, Default.Literal.INSTANCE}
                : new Annotation[] {name};
    }

    /** The name that marks a generator's bean as ours, whatever other beans look like. */
    static String beanName(String generator) {
        return Snowflake.class.getName() + ':' + generator;
    }

    /** The generator's bean, unless the container removed it as unused. */
    static Optional<Bean<?>> own(BeanContainer container, String generator) {
        return container.getBeans(Snowflake.class, Any.Literal.INSTANCE).stream()
                .filter(bean -> beanName(generator).equals(bean.getName()))
                .findFirst();
    }

    /** The generator's bean, unless the application replaced it or the container removed it as unused. */
    private static Optional<Bean<?>> inUse(BeanContainer container, String generator) {
        return own(container, generator).filter(own -> isChosen(container, generator, own));
    }

    static boolean isInUse(BeanContainer container, String generator) {
        return inUse(container, generator).isPresent();
    }

    /** In a web archive an extension sees only the beans of its own jar; the current container sees those of the application. */
    static Optional<BeanContainer> ofTheApplication(BeanContainer container, String generator) {
        BeanContainer current;
        try {
            current = CDI.current().getBeanContainer();
        } catch (RuntimeException e) {
            return Optional.empty();
        }
        // It may belong to another application, if several run in one process.
        Optional<Bean<?>> ours = own(container, generator);
        return ours.isPresent() && ours.equals(own(current, generator)) ? Optional.of(current) : Optional.empty();
    }

    /** By the extension's archive and by the application, whose beans need not be seen from there. */
    private static boolean isChosen(BeanContainer container, String generator, Bean<?> own) {
        return isResolved(container, generator, own)
                && ofTheApplication(container, generator)
                        .filter(whole -> !isResolved(whole, generator, own))
                        .isEmpty();
    }

    private static boolean isResolved(BeanContainer container, String generator, Bean<?> own) {
        try {
            return own.equals(container.resolve(container.getBeans(Snowflake.class, qualifier(generator))));
        } catch (AmbiguousResolutionException e) {
            // It can't be injected, though it can be found among others.
            return false;
        }
    }

    /** Those of these generators that are open. */
    static List<InjectedSnowflake> open(BeanContainer container, Collection<String> generators) {
        List<InjectedSnowflake> open = new ArrayList<>();
        for (String generator : generators) {
            own(container, generator)
                    .map(bean -> container.getContext(Singleton.class).get(bean))
                    .ifPresent(ids -> open.add((InjectedSnowflake) ids));
        }
        return open;
    }

    /**
     * Checks the settings of these generators, each by itself and together, and that no key is misspelt.
     *
     * @throws DeploymentException naming all that is wrong
     */
    static void validate(BeanContainer container, Collection<String> generators) {
        Set<String> problems = new LinkedHashSet<>(problemsOfClaimAtStart(container));
        problems.addAll(problems(container, generators));
        if (!problems.isEmpty()) {
            throw new DeploymentException(String.join("\n", problems));
        }
    }

    /** What is wrong with the settings of these generators, each by itself and together. */
    static List<String> problems(BeanContainer container, Collection<String> generators) {
        List<String> used = generators.stream()
                .filter(generator -> inUse(container, generator).isPresent())
                .toList();
        Set<String> problems = new LinkedHashSet<>();
        Map<String, String> generatorsByNamespace = new HashMap<>();
        for (String generator : used) {
            try {
                String namespace = settings(generator).namespace();
                String other = generatorsByNamespace.putIfAbsent(namespace, generator);
                if (other != null) {
                    problems.add(sharedNamespace(generator, other, namespace));
                }
            } catch (InvalidSettingsException e) {
                problems.addAll(e.problems());
            }
        }
        if (!used.isEmpty()) {
            problems.addAll(unknownKeys(container, generators).problems());
        }
        return List.copyOf(problems);
    }

    private static List<String> problemsOfClaimAtStart(BeanContainer container) {
        List<String> wanted;
        try {
            wanted = SnowflakeSettings.claimedAtStart(Generators::value);
        } catch (InvalidSettingsException e) {
            return e.problems();
        }
        return wanted.stream()
                .filter(generator -> own(container, generator).isEmpty())
                .map(generator -> "snowflake '" + generator + "': snowflake.claim-at-start=" + String.join(",", wanted)
                        + " names this generator, and the application was built without it."
                        + " Set the key the same when the application is built, or inject the generator somewhere.")
                .toList();
    }

    /** Those that the configuration names. A wrong value is reported with the settings. */
    static Set<String> claimedAtStart() {
        try {
            return new TreeSet<>(SnowflakeSettings.claimedAtStart(Generators::value));
        } catch (InvalidSettingsException e) {
            return Set.of();
        }
    }

    private static UnknownKeys unknownKeys(BeanContainer container, Collection<String> injected) {
        List<Pattern> ofReplaced = injected.stream()
                .filter(generator -> own(container, generator).isPresent()
                        && inUse(container, generator).isEmpty())
                .map(Generators::keysOf)
                .toList();
        return unknownKeys(injected, name -> ofReplaced.stream()
                .noneMatch(keys -> keys.matcher(name).lookingAt()));
    }

    private static UnknownKeys unknownKeys(Collection<String> injected, Predicate<String> which) {
        Set<String> generators = new TreeSet<>(injected);
        generators.add(SnowflakeSettings.DEFAULT_GENERATOR);
        Config config = ConfigProvider.getConfig();
        List<String> names = StreamSupport.stream(config.getPropertyNames().spliterator(), false)
                .filter(which)
                .toList();
        return UnknownKeys.among(names, key -> value(config, key), generators);
    }

    /** How the keys and environment variables of a generator begin. */
    private static Pattern keysOf(String generator) {
        String key = "snowflake.generators." + generator;
        String variable = key.replaceAll("[^A-Za-z0-9]", "_");
        return Pattern.compile(Pattern.quote(key + ".") + "|(?i:" + Pattern.quote(variable + "_") + ")");
    }

    /**
     * Claims a worker id for each of these generators that has none yet, and tells observers of them. If one fails, none is kept.
     *
     * @throws DeploymentException saying why
     */
    static void claim(BeanContainer container, Collection<String> generators) {
        validate(container, generators);
        if (generators.isEmpty()) {
            warnOfGeneratorsThatNoBeanInjects();
        } else if (generators.stream()
                .anyMatch(generator -> inUse(container, generator).isPresent())) {
            unknownKeys(container, generators).warn();
        }
        try {
            for (String generator : generators) {
                inUse(container, generator)
                        .ifPresent(bean ->
                                container.getReference(bean, Snowflake.class, container.createCreationalContext(bean)));
            }
            show(container, open(container, generators));
        } catch (Throwable e) {
            // A container that fails to start need not destroy what it has created.
            InjectedSnowflake.closeAll(open(container, generators));
            if (e instanceof Error error) {
                throw error;
            }
            throw new DeploymentException(reason(e), e);
        }
    }

    /** A start must not fail because of what shows them. A library of another version fails with a {@link LinkageError}. */
    private static void show(BeanContainer container, Collection<InjectedSnowflake> open) {
        List<InjectedSnowflake> unseen =
                open.stream().filter(InjectedSnowflake::beginToShow).toList();
        if (OptionalApi.OPEN_TELEMETRY.isPresent()) {
            try {
                SnowflakeGauges.show(container, unseen);
            } catch (RuntimeException | LinkageError e) {
                LOG.log(Level.WARNING, "snowflake: no metrics, because the application's OpenTelemetry failed", e);
            }
        }
        unseen.forEach(ids -> tellOf(container, ids));
    }

    private static void tellOf(BeanContainer container, InjectedSnowflake ids) {
        try {
            container.getEvent().select(ClaimedGenerator.class).fire(new ClaimedGenerator(ids));
        } catch (RuntimeException | LinkageError e) {
            LOG.log(
                    Level.WARNING,
                    "snowflake '" + ids.status().generator() + "': an observer of ClaimedGenerator failed."
                            + " The generator works; what the observer was to show of it may be missing.",
                    e);
        }
    }

    /** Such a key is meant for a generator. It is only a warning: another application may inject that one. */
    private static void warnOfGeneratorsThatNoBeanInjects() {
        Pattern generators = Pattern.compile("snowflake[._]generators[._].*", Pattern.CASE_INSENSITIVE);
        UnknownKeys unknown =
                unknownKeys(List.of(), name -> generators.matcher(name).matches());
        unknown.problems().forEach(problem -> LOG.log(Level.WARNING, problem));
        unknown.warn();
    }

    /** Our own message rather than that of the container's wrapper. */
    private static String reason(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SnowflakeException) {
                return String.valueOf(cause.getMessage());
            }
        }
        return String.valueOf(failure.getMessage());
    }

    /**
     * Claims a worker id.
     *
     * @param injected the generators of this application that are claimed at its start
     * @param listener gets what happens to the generator, if the application observes that
     */
    static Snowflake create(
            BeanContainer container,
            String generator,
            Collection<String> injected,
            Consumer<? super SnowflakeEvent> listener) {
        SnowflakeSettings settings = settings(generator);
        for (String other : injected) {
            if (!other.equals(generator)
                    && inUse(container, other).isPresent()
                    && settings(other).namespace().equals(settings.namespace())) {
                throw new InvalidSettingsException(List.of(sharedNamespace(generator, other, settings.namespace())));
            }
        }
        if (injected.isEmpty()) {
            // The start checked nothing, since the application injects no generator.
            UnknownKeys unknown = unknownKeys(container, injected);
            if (!unknown.problems().isEmpty()) {
                throw new InvalidSettingsException(unknown.problems());
            }
            unknown.warn();
        }
        boolean observed = EventFiring.isObserved(container, generator);
        SnowflakeSettings here = settings.withResources(new ApplicationResources(container, generator));
        return new InjectedSnowflake(observed ? LeasedSnowflake.open(here, listener) : LeasedSnowflake.open(here));
    }

    /** Gives the worker id back, at once or with all others at the end of the application. */
    static void destroy(Snowflake ids) {
        ((InjectedSnowflake) ids).destroyed();
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

    private static SnowflakeSettings settings(String generator) {
        Config config = ConfigProvider.getConfig();
        return SnowflakeSettings.of(generator, key -> value(config, key));
    }

    private static @Nullable String value(String key) {
        return value(ConfigProvider.getConfig(), key);
    }

    // As a string: containers convert on their own terms, and some read 60 as a duration.
    private static @Nullable String value(Config config, String key) {
        ConfigValue found = config.getConfigValue(key);
        String value = found.getValue();
        String raw = found.getRawValue();
        // getOptionalValue would answer as if it were not set.
        if (value == null && raw != null && !raw.isBlank()) {
            throw new UnresolvedValueException(key, raw);
        }
        return value;
    }

    /** Whether a readiness check is wanted. A wrong value is reported with the settings. */
    static boolean healthEnabled() {
        return !ConfigProvider.getConfig()
                .getOptionalValue("snowflake.health.enabled", String.class)
                .map(String::strip)
                .equals(Optional.of("false"));
    }
}
