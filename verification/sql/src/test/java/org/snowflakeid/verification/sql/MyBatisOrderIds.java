// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.sql;

import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.mapping.SqlCommandType;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Intercepts;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.plugin.Signature;
import org.snowflakeid.Snowflake;

/** On docs/sql.md. */
@Intercepts(
        @Signature(
                type = Executor.class,
                method = "update",
                args = {MappedStatement.class, Object.class}))
public class MyBatisOrderIds implements Interceptor {

    private final Snowflake ids;

    MyBatisOrderIds(Snowflake ids) {
        this.ids = ids;
    }

    @Override
    public Object intercept(Invocation invocation) throws Throwable {
        MappedStatement statement = (MappedStatement) invocation.getArgs()[0];
        if (statement.getSqlCommandType() == SqlCommandType.INSERT
                && invocation.getArgs()[1] instanceof Order order
                && order.id == null) {
            order.id = ids.nextId();
        }
        return invocation.proceed();
    }
}
