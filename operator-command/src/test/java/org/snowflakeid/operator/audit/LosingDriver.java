// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Properties;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Each of its connections is lost after some ids, which were read by another driver. */
final class LosingDriver implements Driver, AutoCloseable {

    private final String url;
    private final int ids;
    private final String state;
    private final boolean valid;
    private int connections = Integer.MAX_VALUE;
    private int losses = Integer.MAX_VALUE;
    private int statements;
    private int mostStatements;

    /**
     * @param url of the other driver
     * @param state the SQLSTATE of the loss
     * @param valid whether the connection says that it is valid all the same
     */
    LosingDriver(String url, int afterIds, String state, boolean valid) throws SQLException {
        this.url = url;
        this.ids = afterIds;
        this.state = state;
        this.valid = valid;
        DriverManager.registerDriver(this);
    }

    String url() {
        return "jdbc:losing:" + url;
    }

    void openNoMoreThan(int most) {
        connections = most;
    }

    /** Those after them last. */
    void loseNoMoreThan(int most) {
        losses = most;
    }

    /** How many were open at once. */
    int mostStatements() {
        return mostStatements;
    }

    @Override
    public void close() throws SQLException {
        DriverManager.deregisterDriver(this);
    }

    @FunctionalInterface
    private interface Call {
        @Nullable
        Object answer(String method, @Nullable Object result) throws SQLException;
    }

    private static <T> T wrapped(Class<T> type, T inner, Call call) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        return call.answer(method.getName(), method.invoke(inner, arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    @Override
    public @Nullable Connection connect(String asked, Properties login) throws SQLException {
        if (!acceptsURL(asked)) {
            return null;
        }
        if (connections-- <= 0) {
            throw new SQLException("away", "08001");
        }
        int[] left = {losses-- > 0 ? ids : Integer.MAX_VALUE};
        return wrapped(Connection.class, DriverManager.getConnection(url), (method, result) -> {
            if (method.equals("isValid")) {
                return valid || left[0] > 0;
            }
            return method.equals("prepareStatement") ? statement((PreparedStatement) result, left) : result;
        });
    }

    private PreparedStatement statement(@Nullable PreparedStatement inner, int[] left) {
        mostStatements = Math.max(mostStatements, ++statements);
        return wrapped(PreparedStatement.class, inner, (method, result) -> {
            if (method.equals("close")) {
                statements--;
            }
            return method.equals("executeQuery") ? ids((ResultSet) result, left) : result;
        });
    }

    private ResultSet ids(@Nullable ResultSet inner, int[] left) {
        return wrapped(ResultSet.class, inner, (method, result) -> {
            if (method.equals("next") && Boolean.TRUE.equals(result) && left[0]-- == 0) {
                throw new SQLException("lost", state);
            }
            return result;
        });
    }

    @Override
    public boolean acceptsURL(String asked) {
        return asked.equals(url());
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String asked, Properties login) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getGlobal();
    }
}
