// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.CoordinatorFixture;

/** A folder that stands for any number of namespaces. */
final class FileFixture implements CoordinatorFixture {

    private final Path directory;
    private StuckFolder stuck;

    FileFixture(Path directory) {
        this.directory = directory;
    }

    @Override
    public WorkerCoordinatorProvider provider() {
        return new FileCoordinatorProvider();
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("snowflake.file.directory", directory.toString());
    }

    @Override
    public Duration unit() {
        return Duration.ofMillis(150);
    }

    @Override
    public boolean tellsTime() {
        return false;
    }

    /** The sign of life goes, the records stay: all that the end of a process does. */
    @Override
    public void crash(WorkerCoordinator coordinator) {
        coordinator.close();
    }

    /** As though the disk were stuck: all wait in vain. */
    @Override
    public void disconnect(String namespace) throws Exception {
        stuck = new StuckFolder(directory.resolve(namespace));
    }

    @Override
    public void reconnect(String namespace) throws Exception {
        if (stuck != null) {
            stuck.close();
            stuck = null;
        }
    }
}
