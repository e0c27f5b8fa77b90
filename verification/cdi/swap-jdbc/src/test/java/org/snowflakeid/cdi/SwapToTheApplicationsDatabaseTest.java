// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.eclipse.microprofile.config.ConfigProvider;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeStatus;
import org.snowflakeid.SnowflakeStatus.State;

/** The only coordinator among the dependencies is the one that is used, on the data source that the application has. */
class SwapToTheApplicationsDatabaseTest {

    @TempDir
    private static Path folder;

    @Singleton
    static class Application {
        @Inject
        Snowflake ids;
    }

    @ApplicationScoped
    static class Database {
        @Produces
        @Singleton
        DataSource dataSource() {
            JdbcDataSource database = new JdbcDataSource();
            database.setURL("jdbc:h2:file:" + folder.resolve("orders") + ";WRITE_DELAY=0");
            return database;
        }
    }

    @Test
    void theApplicationsDataSourceIsUsedWithNothingSet() throws SQLException {
        List<String> keys = new ArrayList<>();
        ConfigProvider.getConfig().getPropertyNames().forEach(keys::add);
        assertThat(keys).noneMatch(name -> name.startsWith("snowflake."));
        SeContainerInitializer application =
                SeContainerInitializer.newInstance().addBeanClasses(Application.class, Database.class);
        try (SeContainer container = application.initialize()) {
            DataSource database = container.select(DataSource.class).get();
            Snowflake ids = container.select(Application.class).get().ids;

            long id = ids.nextId();
            assertThat(id).isPositive().isLessThan(ids.nextId());
            SnowflakeStatus status = ids.status();
            assertThat(status.coordinator()).isEqualTo("jdbc");
            assertThat(status.state()).isEqualTo(State.ACTIVE);
            int workerId = ids.layout().decode(id).workerId();
            assertThat(status.workerId()).hasValue(workerId);
            Map<String, String> records = records(database);
            assertThat(records)
                    .containsOnlyKeys(
                            status.namespace() + "/meta", status.namespace() + "/marks/" + workerId, "table-id");
            // That it is held.
            assertThat(records.get(status.namespace() + "/marks/" + workerId)).contains("limit=", "\nexpires=");
        }
        assertThat(records(new Database().dataSource())).hasSize(3).allSatisfy((name, value) -> assertThat(value)
                .doesNotContain("\nexpires="));
    }

    private static Map<String, String> records(DataSource database) throws SQLException {
        Map<String, String> records = new TreeMap<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT name, \"VALUE\" FROM snowflake_record")) {
            while (rows.next()) {
                records.put(text(rows.getBytes(1)), text(rows.getBytes(2)));
            }
        }
        return records;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
