// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.cfg.Configuration;
import org.hibernate.resource.jdbc.spi.StatementInspector;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.hibernate.GeneratorSource;
import org.snowflakeid.testservers.PostgresServer;

/** A table for each kind of id in a PostgreSQL of its own, and Hibernate before it. */
final class Sales implements AutoCloseable {

    static final int BATCH = 50;

    /** Many rows are inserted by several transactions of so many. */
    private static final int TRANSACTION = 10_000;

    private final PostgresServer server;
    private final LeasedSnowflake ids;
    private final SessionFactory sessions;
    private final LongAdder statements = new LongAdder();

    Sales() {
        // As it comes, but for what it is told as a test server: that its disk need not be waited for.
        server = PostgresServer.builder()
                .configure("fsync", "on")
                .configure("shared_buffers", "128MB")
                .start();
        try {
            ids = LeasedSnowflake.open(
                    SnowflakeSettings.of(Map.of("snowflake.coordinator", "jdbc", "snowflake.jdbc.url", server.url())));
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
        try {
            Configuration configuration = new Configuration()
                    .setProperty(AvailableSettings.JAKARTA_JDBC_URL, server.url())
                    .setProperty(AvailableSettings.JAKARTA_HBM2DDL_DATABASE_ACTION, "create")
                    .setProperty(AvailableSettings.STATEMENT_BATCH_SIZE, Integer.toString(BATCH));
            configuration.setStatementInspector(new Counting(statements));
            configuration.getProperties().put(GeneratorSource.SETTING, (GeneratorSource) name -> ids);
            for (Kind kind : Kind.values()) {
                configuration.addAnnotatedClass(kind.entity());
            }
            sessions = configuration.buildSessionFactory();
        } catch (RuntimeException e) {
            ids.close();
            server.close();
            throw e;
        }
    }

    /** @param statements how many were sent; those of a batch are one */
    record Inserted(double millis, long statements) {}

    /** Inserts so many new rows into the empty table, and checks that they are there. */
    Inserted insert(Kind kind, int rows) {
        // What others have written is not to be written to the disk meanwhile.
        String unused = server.sql("TRUNCATE " + kind.table());
        unused = server.sql("CHECKPOINT");
        statements.reset();
        long start = System.nanoTime();
        for (int first = 0; first < rows; first += TRANSACTION) {
            insert(kind, first, Math.min(rows, first + TRANSACTION));
        }
        Inserted inserted = new Inserted((System.nanoTime() - start) / 1e6, statements.sum());
        long found = number("SELECT count(*) FROM " + kind.table());
        if (found != rows) {
            throw new IllegalStateException(kind.table() + " has " + found + " rows instead of " + rows);
        }
        return inserted;
    }

    private void insert(Kind kind, int first, int end) {
        sessions.inTransaction(session -> {
            for (int i = first; i < end; i++) {
                session.persist(kind.sale(i));
                if ((i + 1) % BATCH == 0) {
                    session.flush();
                    session.clear();
                }
            }
        });
    }

    /** Both in bytes: of the index of the primary key, and of the table without it. */
    record Size(long index, long table) {}

    Size size(Kind kind) {
        long index = number("SELECT pg_relation_size(indexrelid) FROM pg_index WHERE indisprimary AND indrelid = '"
                + kind.table() + "'::regclass");
        return new Size(index, number("SELECT pg_relation_size('" + kind.table() + "')"));
    }

    String serverVersion() {
        return server.sql("SHOW server_version").strip();
    }

    private long number(String query) {
        return Long.parseLong(server.sql(query).strip());
    }

    @Override
    public void close() {
        sessions.close();
        ids.close();
        server.close();
    }

    /** Hibernate shows it each statement once, and a batch as one. */
    private record Counting(LongAdder statements) implements StatementInspector {
        @Override
        public String inspect(String sql) {
            statements.increment();
            return sql;
        }
    }
}
