// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.Resources;

/** An application's pool of one connection: the next borrower gets the session that was given back last. */
final class Pool implements Resources, AutoCloseable {

    enum Product {
        HIKARI {
            @Override
            DataSource open(String url) {
                HikariConfig config = new HikariConfig();
                config.setJdbcUrl(url);
                config.setMaximumPoolSize(1);
                return new HikariDataSource(config);
            }
        },
        DBCP {
            @Override
            DataSource open(String url) {
                BasicDataSource pool = new BasicDataSource();
                pool.setUrl(url);
                pool.setMaxTotal(1);
                return pool;
            }
        },
        AGROAL {
            @Override
            DataSource open(String url) throws SQLException {
                return AgroalDataSource.from(
                        new AgroalDataSourceConfigurationSupplier().connectionPoolConfiguration(pool -> pool.maxSize(1)
                                // As Quarkus sets it: without one Agroal lends what is closed.
                                .exceptionSorter(failure ->
                                        String.valueOf(failure.getSQLState()).startsWith("08"))
                                .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url))));
            }
        };

        abstract DataSource open(String url) throws SQLException;
    }

    /** What an application does with a connection that it borrowed. */
    interface Use {
        void with(Connection connection) throws SQLException;
    }

    private final DataSource dataSource;

    Pool(Product product, String url) throws SQLException {
        this.dataSource = product.open(url);
    }

    /** Borrows the connection, and gives it back. */
    void use(Use use) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            use.with(connection);
        }
    }

    @Override
    public <T> Optional<T> find(Class<T> type, @Nullable String name) {
        return name == null ? Optional.of(type.cast(dataSource)) : Optional.empty();
    }

    @Override
    public void close() throws SQLException {
        if (dataSource instanceof HikariDataSource hikari) {
            hikari.close();
        } else if (dataSource instanceof AgroalDataSource agroal) {
            agroal.close();
        } else {
            ((BasicDataSource) dataSource).close();
        }
    }
}
