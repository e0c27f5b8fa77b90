// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanContainer;
import jakarta.enterprise.inject.spi.DeploymentException;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.config.EnvironmentVariable;
import org.snowflakeid.config.UnknownKeys;

/** What is wrong with the settings of generators: of each by itself, of all together, and with keys that nothing reads. */
final class StartCheck {

    private static final System.Logger LOG = System.getLogger(StartCheck.class.getName());

    private final GeneratorBeans beans;
    private final Collection<String> generators;
    private final ConfiguredValues values = new ConfiguredValues();

    /** @param generators those that are checked */
    StartCheck(BeanContainer container, Collection<String> generators) {
        this.beans = new GeneratorBeans(container);
        this.generators = generators;
    }

    /** @throws DeploymentException naming all that is wrong */
    void validate() {
        Set<String> problems = new LinkedHashSet<>(problemsOfClaimAtStart());
        problems.addAll(generators.isEmpty() ? misspeltClaimAtStart() : problems());
        if (!problems.isEmpty()) {
            throw new DeploymentException(String.join("\n", problems));
        }
    }

    private List<String> problemsOfClaimAtStart() {
        List<String> wanted;
        try {
            wanted = values.claimedAtStart();
        } catch (InvalidSettingsException e) {
            return e.problems();
        }
        return wanted.stream()
                .filter(generator -> !beans.isThere(generator))
                .map(generator -> "snowflake '" + generator + "': snowflake.claim-at-start=" + String.join(",", wanted)
                        + " names this generator, and the application was built without it."
                        + " Set the key the same when the application is built, or inject the generator somewhere.")
                .toList();
    }

    /** No generator is used, perhaps since the key that names those of the start is misspelt. Other keys may be of other software. */
    private List<String> misspeltClaimAtStart() {
        Pattern nearest = Pattern.compile("nearest is snowflake[._]claim[-_]at[-_]start\\.", Pattern.CASE_INSENSITIVE);
        return unknownKeys().problems().stream()
                .filter(problem -> nearest.matcher(problem).find())
                .toList();
    }

    /** Of those generators that are in use, and of the keys if there is one. */
    List<String> problems() {
        List<String> used = generators.stream().filter(beans::isInUse).toList();
        Set<String> problems = new LinkedHashSet<>();
        Map<String, String> generatorsByNamespace = new HashMap<>();
        for (String generator : used) {
            beans.passedOver(generator).ifPresent(alternative -> problems.add(passedOver(generator, alternative)));
            try {
                String namespace = values.settings(generator).namespace();
                String other = generatorsByNamespace.putIfAbsent(namespace, generator);
                if (other != null) {
                    problems.add(sharedNamespace(generator, other, namespace));
                }
            } catch (InvalidSettingsException e) {
                problems.addAll(e.problems());
            }
        }
        if (!used.isEmpty()) {
            problems.addAll(unknownKeys().problems());
        }
        return List.copyOf(problems);
    }

    private static String passedOver(String generator, Bean<?> alternative) {
        return "snowflake '" + generator
                + "': this container knows an alternative for it and injects the generator all the"
                + " same (" + alternative + "). Declare the alternative as a class or a producer with @Alternative and"
                + " @Priority, not in an extension.";
    }

    /** Logs what can be left alone. */
    void warn() {
        if (generators.isEmpty()) {
            warnOfGeneratorsThatAreNotInjected();
        } else if (generators.stream().anyMatch(beans::isInUse)) {
            unknownKeys().warn();
        }
    }

    /** Their keys were set for a generator. Nothing fails: another application may inject it. */
    private void warnOfGeneratorsThatAreNotInjected() {
        Pattern keys = Pattern.compile("snowflake[._]generators[._].*", Pattern.CASE_INSENSITIVE);
        UnknownKeys unknown = values.unknownKeys(name -> keys.matcher(name).matches(), List.of());
        unknown.problems().forEach(problem -> LOG.log(Level.WARNING, problem));
        unknown.warn();
    }

    /**
     * The settings of a generator that is opened beside those that are checked.
     *
     * @throws InvalidSettingsException if they are wrong, or claim a second worker id where one of the others does
     */
    SnowflakeSettings settings(String generator) {
        SnowflakeSettings settings = values.settings(generator);
        for (String other : generators) {
            if (!other.equals(generator)
                    && beans.isInUse(other)
                    && values.settings(other).namespace().equals(settings.namespace())) {
                throw new InvalidSettingsException(List.of(sharedNamespace(generator, other, settings.namespace())));
            }
        }
        if (generators.isEmpty()) {
            // No key was checked at the start, since no generator was going to be used.
            UnknownKeys unknown = unknownKeys();
            if (!unknown.problems().isEmpty()) {
                throw new InvalidSettingsException(unknown.problems());
            }
            unknown.warn();
        }
        return settings;
    }

    private UnknownKeys unknownKeys() {
        List<Pattern> ofReplaced = generators.stream()
                .filter(beans::isReplaced)
                .map(StartCheck::keysOf)
                .toList();
        return values.unknownKeys(
                name -> ofReplaced.stream().noneMatch(keys -> keys.matcher(name).lookingAt()), generators);
    }

    /** How the keys and environment variables of a generator begin. */
    private static Pattern keysOf(String generator) {
        String begin = "snowflake.generators." + generator + ".";
        return Pattern.compile(Pattern.quote(begin) + "|(?i:" + Pattern.quote(EnvironmentVariable.of(begin)) + ")");
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
}
