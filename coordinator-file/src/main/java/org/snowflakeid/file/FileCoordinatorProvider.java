// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.lang.System.Logger.Level;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Coordinates the processes of one host through a folder: no server, nothing to install. */
public final class FileCoordinatorProvider implements WorkerCoordinatorProvider {

    /** Required: a folder on a local disk, the same for all processes; created if it is absent. */
    public static final String DIRECTORY = "snowflake.file.directory";

    private static final System.Logger LOGGER = System.getLogger(FileCoordinatorProvider.class.getName());
    private static final Set<Path> WARNED = ConcurrentHashMap.newKeySet();

    @Override
    public String name() {
        return "file";
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        String generator = "snowflake '" + config.generator() + "': ";
        String value = config.value(DIRECTORY)
                .orElseThrow(() -> new InvalidSettingsException(List.of(generator + DIRECTORY
                        + " is not set. Name a folder on a local disk, the same for all processes of this host.")));
        Path directory;
        try {
            directory = Path.of(value);
        } catch (InvalidPathException e) {
            throw new InvalidSettingsException(List.of(
                    generator + DIRECTORY + "=" + value + " is not a path: " + e.getReason() + ". Name a folder."));
        }
        if (!directory.isAbsolute()) {
            throw new InvalidSettingsException(
                    List.of(
                            generator + DIRECTORY + "=" + value
                                    + " is relative, so that processes started elsewhere would share nothing. Write it from the root."));
        }
        if (WARNED.add(directory)) {
            LOGGER.log(
                    Level.WARNING,
                    generator + "worker ids are coordinated through " + directory
                            + ": ids are unique among processes of this host that use this folder, and nowhere else");
        }
        return new FileCoordinator(new NamespaceFolder(directory, config.namespace()), config.timeToLive());
    }
}
