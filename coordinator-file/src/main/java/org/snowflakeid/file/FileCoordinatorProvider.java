// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordCoordinator;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Coordinates the processes of one host through a folder: no server, nothing to install. */
public final class FileCoordinatorProvider implements WorkerCoordinatorProvider {

    /** A folder on a local disk. */
    public static final String DIRECTORY = "snowflake.file.directory";

    private static final Key<Path> FOLDER = Key.folder(DIRECTORY)
            .required("Name a folder on a local disk, the same for all processes of this host.")
            .use(Key.Use.ESSENTIAL)
            .meaning(
                    "On a local disk, the same for all processes of this host; created by the first write if it is absent.");

    private static final System.Logger LOGGER = System.getLogger(FileCoordinatorProvider.class.getName());
    private static final Set<Path> WARNED = ConcurrentHashMap.newKeySet();

    @Override
    public String name() {
        return "file";
    }

    @Override
    public List<Key<?>> keys() {
        return List.of(FOLDER);
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        SettingsReader reader = new SettingsReader(config);
        Optional<Path> given = reader.optional(FOLDER);
        reader.throwProblems();
        Path directory = given.orElseThrow();
        if (WARNED.add(directory)) {
            LOGGER.log(
                    Level.WARNING,
                    "snowflake '" + config.generator() + "': worker ids are coordinated through " + directory
                            + ": ids are unique among processes of this host that use this folder, and nowhere else");
        }
        return new RecordCoordinator(
                config, new FileStore(new NamespaceFolder(config.generator(), directory, config.namespace())));
    }
}
