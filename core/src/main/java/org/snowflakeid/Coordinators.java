// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Finds the coordinator that is meant: the one that is named, else the only one on the class path. */
final class Coordinators {

    private Coordinators() {}

    static WorkerCoordinatorProvider select(SnowflakeSettings settings, ClassLoader loader) {
        TreeMap<String, WorkerCoordinatorProvider> found = new TreeMap<>();
        try {
            for (WorkerCoordinatorProvider provider : ServiceLoader.load(WorkerCoordinatorProvider.class, loader)) {
                found.putIfAbsent(provider.name(), provider);
            }
        } catch (ServiceConfigurationError e) {
            throw new CoordinatorException(
                    "snowflake '" + settings.generator() + "': a coordinator on the class path can't be loaded: "
                            + e.getMessage(),
                    e,
                    true);
        }
        found.putIfAbsent(StaticCoordinatorProvider.NAME, new StaticCoordinatorProvider());
        List<WorkerCoordinatorProvider> counted = found.values().stream()
                .filter(provider -> !provider.onlyByName())
                .toList();
        String names = counted.stream().map(WorkerCoordinatorProvider::name).collect(Collectors.joining(", "));

        if (settings.coordinator().isPresent()) {
            WorkerCoordinatorProvider named = found.get(settings.coordinator().get());
            if (named == null) {
                String artifact = artifact(settings.coordinator().get());
                throw invalid(
                        settings,
                        "snowflake.coordinator=" + settings.coordinator().get() + " is not on the class path. There"
                                + (counted.isEmpty()
                                        ? " is none; add the artifact " + artifact + "."
                                        : ": " + names
                                                + ". Set snowflake.coordinator to one of these or add the artifact "
                                                + artifact + "."));
            }
            return named;
        }
        if (counted.isEmpty()) {
            throw invalid(
                    settings,
                    "no coordinator is on the class path. Add one of the artifacts snowflake-coordinator-etcd,"
                            + " snowflake-coordinator-zookeeper and snowflake-coordinator-file.");
        }
        if (counted.size() > 1) {
            throw invalid(
                    settings,
                    "several coordinators are on the class path: " + names
                            + ". Set snowflake.coordinator to one of these.");
        }
        return counted.get(0);
    }

    private static String artifact(String coordinator) {
        return coordinator.equals("memory") ? "snowflake-testing" : "snowflake-coordinator-" + coordinator;
    }

    private static InvalidSettingsException invalid(SnowflakeSettings settings, String problem) {
        return new InvalidSettingsException(List.of("snowflake '" + settings.generator() + "': " + problem));
    }
}
