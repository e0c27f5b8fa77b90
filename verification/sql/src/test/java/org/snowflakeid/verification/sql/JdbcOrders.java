// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.sql;

import java.util.List;
import java.util.stream.IntStream;
import org.snowflakeid.Snowflake;
import org.springframework.jdbc.core.JdbcTemplate;

/** On docs/sql.md. */
public class JdbcOrders {

    private static final String INSERT = "INSERT INTO orders (id, customer) VALUES (?, ?)";

    private final JdbcTemplate jdbc;
    private final Snowflake ids;

    JdbcOrders(JdbcTemplate jdbc, Snowflake ids) {
        this.jdbc = jdbc;
        this.ids = ids;
    }

    long add(String customer) {
        long id = ids.nextId();
        jdbc.update(INSERT, id, customer);
        return id;
    }

    void addAll(List<String> customers) {
        long[] next = ids.nextIds(customers.size());
        jdbc.batchUpdate(
                INSERT,
                IntStream.range(0, next.length)
                        .mapToObj(i -> new Object[] {next[i], customers.get(i)})
                        .toList());
    }
}
