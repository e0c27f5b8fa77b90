// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What people write for a coordinator: the names of databases and of clients, and short forms. */
final class OtherNames {

    /**
     * @param product as a message calls it
     * @param coordinator the one that works with it
     * @param written the spellings that are recognized, in lower-case letters and digits
     */
    record Product(String product, String coordinator, List<String> written) {
        private Product(String product, String coordinator, String... written) {
            this(product, coordinator, List.of(written));
        }
    }

    private static final List<Product> PRODUCTS = List.of(
            new Product("PostgreSQL", "jdbc", "postgresql", "postgres", "postgre", "pgsql", "pg"),
            new Product("MySQL", "jdbc", "mysql"),
            new Product("MariaDB", "jdbc", "mariadb", "maria"),
            new Product("Oracle", "jdbc", "oracle", "oracledb", "ora"),
            new Product("SQL Server", "jdbc", "sqlserver", "mssql", "mssqlserver"),
            new Product("Db2", "jdbc", "db2"),
            new Product("H2", "jdbc", "h2"),
            new Product("HSQLDB", "jdbc", "hsqldb", "hsql"),
            new Product("Derby", "jdbc", "derby"),
            new Product("SQLite", "jdbc", "sqlite"),
            new Product("Firebird", "jdbc", "firebird"),
            new Product("a database", "jdbc", "database", "db", "sql", "rdbms", "datasource"),
            new Product("Kubernetes", "kubernetes", "k8s", "kube"),
            new Product("ZooKeeper", "zookeeper", "zk", "curator"),
            new Product("etcd", "etcd", "etcd3", "etcdv3", "jetcd"),
            new Product("Redis", "redis", "jedis", "lettuce", "redisson"),
            new Product("Valkey", "redis", "valkey"),
            new Product("a folder", "file", "folder", "directory", "files", "filesystem"),
            new Product("a fixed worker id", "static", "fixed", "none"),
            new Product("memory", "memory", "inmemory", "mem"));

    private OtherNames() {}

    static Optional<Product> of(String name) {
        String letters = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
        return PRODUCTS.stream()
                .filter(product -> product.written.contains(letters))
                .findFirst();
    }
}
