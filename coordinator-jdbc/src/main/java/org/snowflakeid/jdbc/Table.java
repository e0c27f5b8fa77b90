// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

/**
 * The one table, as it was found once. Every statement names it in full, so that no session decides where to look.
 *
 * @param schema that of MariaDB and MySQL is a database, that of SQL Server has its database before it; empty: the database has no schemas
 */
record Table(String schema, String name) {

    @Override
    public String toString() {
        return schema.isEmpty() ? name : schema + "." + name;
    }
}
