// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snowflakeid.CoordinatorException;

/**
 * The schemas in which the data source's own user looks by default, in this order: equal for all processes with that user, whatever a
 * session was made to show by those who had it before.
 */
final class DefaultSchemas {

    /** What holds at the session's begin, and for whom it began. SET and SET ROLE change neither, and a pooler shares both. */
    private static final String POSTGRESQL = "SELECT s.reset_val, a.usename FROM pg_settings s, pg_stat_activity a"
            + " WHERE s.name = 'search_path' AND a.pid = pg_backend_pid()";

    private static final Pattern ELEMENT = Pattern.compile("\\s*(?:\"((?:[^\"]|\"\")*)\"|([^\",]*?))\\s*(?:,|$)");

    /** By which a URL of PostgreSQL asks for schemas. */
    private static final Pattern ASKED =
            Pattern.compile("[?&]currentSchema=([^&]*)|[?&]options=[^&]*search_path=((?:\\\\.|[^&\\s\\\\])*)");

    /** What MariaDB and MySQL begin in. A name with escapes is read by one of their drivers only. */
    private static final Pattern DATABASE = Pattern.compile("//[^/?]+/([^/?;%]+)(?:[?;].*)?");

    private static final Pattern SQLSERVER_DATABASE = Pattern.compile("(?i);\\s*database(?:Name)?\\s*=\\s*([^;{}]+)");

    private DefaultSchemas() {}

    /**
     * @param own whether the connection is only ever used here
     * @throws CoordinatorException if they can't be known
     */
    static List<String> of(DatabaseCall call, boolean own) throws SQLException {
        Connection connection = call.connection();
        Dialect dialect = call.dialect();
        return switch (dialect) {
            case POSTGRESQL -> ofPostgres(connection);
            case MARIADB -> List.of(ofUrl(connection.getMetaData().getURL()));
            // Its URL, which the driver does not tell, may say otherwise: then no table is created.
            case H2 -> List.of(own ? connection.getSchema() : dialect.folded(connection, "PUBLIC"));
            case SQLSERVER ->
                List.of(
                        own
                                ? call.only(dialect.schema(true))
                                : ofSqlServer(connection.getMetaData().getURL()) + "."
                                        + call.only(dialect.schema(false)));
            default -> List.of(call.only(dialect.schema(own)));
        };
    }

    private static List<String> ofPostgres(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(POSTGRESQL)) {
            if (!row.next()) {
                throw unknown("the server shows no search_path");
            }
            String path = row.getString(1);
            List<String> schemas = elements(path);
            Matcher asked = ASKED.matcher(
                    URLDecoder.decode(String.valueOf(connection.getMetaData().getURL()), StandardCharsets.UTF_8));
            while (asked.find()) {
                String wanted = asked.group(1) == null ? asked.group(2).replaceAll("\\\\(.)", "$1") : asked.group(1);
                if (!elements(wanted).equals(schemas)) {
                    throw unknown("the URL asks for the search_path '" + wanted + "', and the server was given '" + path
                            + "': a pooler between them may have dropped it");
                }
            }
            String user = row.getString(2);
            schemas.replaceAll(each -> each.equals("$user") ? user : each);
            return schemas;
        }
    }

    private static List<String> elements(String path) {
        List<String> elements = new ArrayList<>();
        Matcher element = ELEMENT.matcher(path);
        while (element.lookingAt()) {
            String quoted = element.group(1);
            String plain = element.group(2);
            if (quoted != null) {
                elements.add(quoted.replace("\"\"", "\""));
            } else if (!plain.isEmpty()) {
                elements.add(plain.toLowerCase(Locale.ROOT));
            }
            if (element.end() == path.length()) {
                break;
            }
            element.region(element.end(), path.length());
        }
        return elements;
    }

    private static String ofUrl(String url) {
        Matcher database = DATABASE.matcher(String.valueOf(url));
        if (!database.find()) {
            throw unknown("the URL of its connections names no database");
        }
        return database.group(1);
    }

    private static String ofSqlServer(String url) {
        Matcher database = SQLSERVER_DATABASE.matcher(String.valueOf(url));
        if (!database.find()) {
            throw unknown("the URL of its connections names no database");
        }
        return database.group(1);
    }

    static CoordinatorException unknown(String reason) {
        return new CoordinatorException(
                "which schema the table is in can't be known: " + reason + ". Name it in " + JdbcSettings.SCHEMA + ".",
                true);
    }
}
