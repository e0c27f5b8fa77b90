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
final class LosingDriver implements Driver {

    static final String URL = "jdbc:losing:";

    private static @Nullable LosingDriver registered;

    private final String url;
    private final int ids;
    private int connections = Integer.MAX_VALUE;
    private int statements;
    private int mostStatements;

    private LosingDriver(String url, int ids) {
        this.url = url;
        this.ids = ids;
    }

    static void lose(String url, int afterIds) throws SQLException {
        registered = new LosingDriver(url, afterIds);
        DriverManager.registerDriver(registered);
    }

    static void openNoMoreThan(int connections) {
        driver().connections = connections;
    }

    /** How many were open at once. */
    static int mostStatements() {
        return driver().mostStatements;
    }

    static void stop() throws SQLException {
        if (registered != null) {
            DriverManager.deregisterDriver(registered);
            registered = null;
        }
    }

    private static LosingDriver driver() {
        if (registered == null) {
            throw new IllegalStateException("not registered");
        }
        return registered;
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
        int[] left = {ids};
        return wrapped(Connection.class, DriverManager.getConnection(url), (method, result) -> {
            if (method.equals("isValid")) {
                return left[0] > 0;
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

    private static ResultSet ids(@Nullable ResultSet inner, int[] left) {
        return wrapped(ResultSet.class, inner, (method, result) -> {
            if (method.equals("next") && Boolean.TRUE.equals(result) && left[0]-- == 0) {
                throw new SQLException("lost", "HY000");
            }
            return result;
        });
    }

    @Override
    public boolean acceptsURL(String asked) {
        return asked.equals(URL);
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
