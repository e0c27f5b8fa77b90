// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Finds the coordinator that is meant: the one that is named, else the only one on the class path. */
public final class Coordinators {

    private static final Pattern ARTIFACT_SUFFIX = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

    /** The coordinators of this project, by which a lost service file is noticed. */
    private static final Map<String, String> CLASSES = Map.of(
            "consul", "consul/Consul",
            "etcd", "etcd/Etcd",
            "file", "file/File",
            "jdbc", "jdbc/Jdbc",
            "kubernetes", "kubernetes/Kubernetes",
            "memory", "testing/Memory",
            "nacos", "nacos/Nacos",
            "redis", "redis/Redis",
            "zookeeper", "zookeeper/ZooKeeper");

    /** The remedy for service files that are not there, for messages. */
    public static final String MERGE_SERVICE_FILES =
            "In an application that is packaged as one jar, merge the files of META-INF/services: with the"
                    + " ServicesResourceTransformer of Maven Shade, mergeServiceFiles() of Gradle Shadow, or the like.";

    private Coordinators() {}

    public static WorkerCoordinatorProvider select(Settings settings, ClassLoader loader) {
        SortedMap<String, WorkerCoordinatorProvider> found = new TreeMap<>();
        try {
            ServiceLoader.load(WorkerCoordinatorProvider.class, loader).forEach(provider -> add(found, provider));
        } catch (ServiceConfigurationError e) {
            throw new CoordinatorException(
                    "snowflake '" + settings.generator() + "': a coordinator on the class path can't be loaded: "
                            + e.getMessage(),
                    e,
                    true);
        }
        add(found, new StaticCoordinatorProvider());
        List<WorkerCoordinatorProvider> counted = found.values().stream()
                .filter(provider -> !provider.onlyByName())
                .toList();
        String names = counted.stream().map(WorkerCoordinatorProvider::name).collect(Collectors.joining(", "));

        if (settings.coordinator().isPresent()) {
            String name = settings.coordinator().get();
            WorkerCoordinatorProvider named = found.get(name);
            if (named == null) {
                requireServiceFile(settings, name::equals, found, loader);
                throw invalid(
                        settings,
                        "snowflake.coordinator=" + SnowflakeKeys.COORDINATOR.shown(name) + " is not on the class path. "
                                + remedy(name, found.keySet(), names));
            }
            return named;
        }
        // Or the one whose file survived would be taken for the only one.
        requireServiceFile(settings, name -> !name.equals("memory"), found, loader);
        if (counted.isEmpty()) {
            throw invalid(
                    settings,
                    "no coordinator is on the class path. Add one of the artifacts snowflake-coordinator-etcd,"
                            + " snowflake-coordinator-zookeeper, snowflake-coordinator-jdbc, snowflake-coordinator-redis,"
                            + " snowflake-coordinator-kubernetes, snowflake-coordinator-consul, snowflake-coordinator-nacos"
                            + " and snowflake-coordinator-file.");
        }
        if (counted.size() > 1) {
            throw invalid(
                    settings,
                    "several coordinators are on the class path: " + names
                            + ". Set snowflake.coordinator to one of these.");
        }
        return counted.get(0);
    }

    /** Where several jars become one, the service file of one may take the place of all others. */
    private static void requireServiceFile(
            Settings settings,
            Predicate<String> meant,
            Map<String, WorkerCoordinatorProvider> found,
            ClassLoader loader) {
        List<String> unnamed = CLASSES.keySet().stream()
                .filter(meant)
                .filter(name -> !found.containsKey(name))
                .filter(name -> loader.getResource("org/snowflakeid/" + CLASSES.get(name) + "CoordinatorProvider.class")
                        != null)
                .sorted()
                .toList();
        if (!unnamed.isEmpty()) {
            throw invalid(
                    settings,
                    String.join(" and ", unnamed) + (unnamed.size() > 1 ? " are" : " is")
                            + " on the class path, but no file META-INF/services/"
                            + WorkerCoordinatorProvider.class.getName() + " names "
                            + (unnamed.size() > 1 ? "them" : "it")
                            + ". " + MERGE_SERVICE_FILES);
        }
    }

    private static void add(Map<String, WorkerCoordinatorProvider> found, WorkerCoordinatorProvider provider) {
        found.putIfAbsent(provider.name(), provider);
    }

    /** All that can be loaded, sorted by name. A failure to load one is reported when one is selected. */
    static Collection<WorkerCoordinatorProvider> loadable(ClassLoader loader) {
        SortedMap<String, WorkerCoordinatorProvider> found = new TreeMap<>();
        try {
            ServiceLoader.load(WorkerCoordinatorProvider.class, loader).forEach(provider -> add(found, provider));
        } catch (ServiceConfigurationError e) {
            // Goes on with those that were found before it.
        }
        add(found, new StaticCoordinatorProvider());
        return found.values();
    }

    /**
     * The context class loader of this thread, if it knows this library. Threads that are shared by all of a JVM, such as those of the
     * common pool, have one that knows nothing of what is in an executable jar or in a deployment.
     */
    public static ClassLoader loader() {
        ClassLoader own = Coordinators.class.getClassLoader();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        if (context == null) {
            return own;
        }
        try {
            Class<?> seen = Class.forName(WorkerCoordinatorProvider.class.getName(), false, context);
            return seen == WorkerCoordinatorProvider.class ? context : own;
        } catch (ClassNotFoundException | LinkageError e) {
            return own;
        }
    }

    /** What to do about a name that no coordinator on the class path has. */
    private static String remedy(String name, Set<String> found, String names) {
        return OtherNames.of(name)
                .map(other -> "For " + other.product() + " " + use(other.coordinator(), found))
                .or(() -> Spelling.near(name, found)
                        .or(() -> Spelling.near(name, CLASSES.keySet()).filter(near -> !near.equals(name)))
                        .map(near -> "The nearest is " + near + ": " + use(near, found)))
                .orElseGet(() -> missing(name, names));
    }

    private static String use(String coordinator, Set<String> found) {
        return (found.contains(coordinator) ? "" : "add the artifact " + artifact(coordinator) + " and ")
                + "set snowflake.coordinator=" + coordinator + ".";
    }

    private static String missing(String name, String names) {
        String lowerCase = name.toLowerCase(Locale.ROOT);
        String add = ARTIFACT_SUFFIX.matcher(lowerCase).matches() ? "add the artifact " + artifact(lowerCase) : "";
        if (!add.isEmpty() && !name.equals(lowerCase)) {
            add += " and set snowflake.coordinator=" + lowerCase;
        }
        if (names.isEmpty()) {
            return "There is none" + (add.isEmpty() ? "." : "; " + add + ".");
        }
        return "There: " + names + ". Set snowflake.coordinator to one of these"
                + (add.isEmpty() ? "." : " or " + add + ".");
    }

    private static String artifact(String coordinator) {
        return coordinator.equals("memory") ? "snowflake-testing" : "snowflake-coordinator-" + coordinator;
    }

    private static InvalidSettingsException invalid(Settings settings, String problem) {
        return new InvalidSettingsException(List.of("snowflake '" + settings.generator() + "': " + problem));
    }
}
