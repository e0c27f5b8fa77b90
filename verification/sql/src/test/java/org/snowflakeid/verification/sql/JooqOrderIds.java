// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.sql;

import org.jooq.RecordContext;
import org.jooq.RecordListener;
import org.snowflakeid.Snowflake;

/** On docs/sql.md. */
public class JooqOrderIds implements RecordListener {

    private final Snowflake ids;

    JooqOrderIds(Snowflake ids) {
        this.ids = ids;
    }

    @Override
    public void insertStart(RecordContext context) {
        if (context.record() instanceof OrdersRecord order && order.getId() == null) {
            order.setId(ids.nextId());
        }
    }
}
