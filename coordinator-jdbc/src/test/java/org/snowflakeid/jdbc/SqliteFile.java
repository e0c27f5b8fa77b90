// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.tck.CoordinatorFixture;

/** A database without a server: it does not answer while another connection has locked its file. */
final class SqliteFile implements CoordinatorFixture, AutoCloseable {
    private final Path folder;
    private @Nullable Connection lock;

    SqliteFile() {
        try {
            folder = Files.createTempDirectory("sqlite-test-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String url() {
        return "jdbc:sqlite:" + folder.resolve("ids.db") + "?busy_timeout=60000";
    }

    @Override
    public WorkerCoordinatorProvider provider() {
        return new JdbcCoordinatorProvider();
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("snowflake.jdbc.url", url());
    }

    @Override
    public boolean tellsTime() {
        return false;
    }

    @Override
    public void crash(WorkerCoordinator coordinator) {
        coordinator.close();
    }

    @Override
    public void disconnect(String namespace) throws SQLException {
        Connection connection = DriverManager.getConnection(url());
        try (Statement statement = connection.createStatement()) {
            boolean unused = statement.execute("BEGIN EXCLUSIVE");
        }
        lock = connection;
    }

    @Override
    public void reconnect(String namespace) throws SQLException {
        Connection locked = lock;
        if (locked != null) {
            lock = null;
            locked.close();
        }
    }

    @Override
    public void close() {
        Databases.delete(folder);
    }
}
