// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.sql;

import java.time.YearMonth;
import java.time.ZoneOffset;
import org.snowflakeid.Snowflake;
import org.springframework.jdbc.core.JdbcTemplate;

/** On docs/sql.md. */
public class EventPartitions {

    private final JdbcTemplate jdbc;
    private final Snowflake ids;

    EventPartitions(JdbcTemplate jdbc, Snowflake ids) {
        this.jdbc = jdbc;
        this.ids = ids;
    }

    void create(YearMonth month) {
        jdbc.execute("CREATE TABLE %s PARTITION OF events FOR VALUES FROM (%d) TO (%d)"
                .formatted(name(month), firstId(month), firstId(month.plusMonths(1))));
    }

    void drop(YearMonth month) {
        jdbc.execute("ALTER TABLE events DETACH PARTITION " + name(month) + " CONCURRENTLY");
        jdbc.execute("DROP TABLE " + name(month));
    }

    private long firstId(YearMonth month) {
        return ids.layout().minId(month.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant());
    }

    private static String name(YearMonth month) {
        return "events_" + month.toString().replace('-', '_');
    }
}
