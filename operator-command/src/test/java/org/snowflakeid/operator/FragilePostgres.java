// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.nio.file.Path;
import java.util.Map;
import org.snowflakeid.testservers.PostgresServer;

/** A single PostgreSQL. A mark is the first line of a record. */
final class FragilePostgres implements FragileCoordinator {
    private final PostgresServer postgres = PostgresServer.start();

    @Override
    public int port() {
        return postgres.clientPort();
    }

    @Override
    public Map<String, String> settings(int port) {
        return Map.of("snowflake.coordinator", "jdbc", "snowflake.jdbc.url", postgres.url(port));
    }

    @Override
    public void loseAllData() {
        postgres.kill();
        postgres.wipe();
        startAgain();
    }

    private void startAgain() {
        postgres.startAgain();
        postgres.awaitHealthy();
    }

    @Override
    public Backup backup() {
        Path backup = postgres.backup();
        return () -> {
            postgres.kill();
            postgres.restore(backup);
            startAgain();
        };
    }

    private static String where(String key) {
        return " WHERE name = '" + key.substring(1) + "'";
    }

    @Override
    public String read(String key) {
        return postgres.sql("SELECT split_part(value, E'\\n', 1) FROM snowflake_record" + where(key))
                .strip();
    }

    @Override
    public void write(String key, String value) {
        postgres.sql("UPDATE snowflake_record SET version = version + 1, value = '" + value
                + "' || substr(value, length(split_part(value, E'\\n', 1)) + 1)" + where(key));
    }

    @Override
    public void delete(String key) {
        postgres.sql("DELETE FROM snowflake_record" + where(key));
    }

    @Override
    public void close() {
        postgres.close();
    }
}
