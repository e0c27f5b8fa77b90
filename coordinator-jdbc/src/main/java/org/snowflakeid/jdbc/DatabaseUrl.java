// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.config.SettingsReader;

/** What the text of a JDBC URL shows before a database is asked: its driver, whether it is encrypted, whether it lasts. */
final class DatabaseUrl {

    /** Parameters by which the URLs of those drivers ask for encryption; without them it is not certain. */
    private static final Map<String, Pattern> ENCRYPTED = Map.of(
            "jdbc:postgresql:", Pattern.compile("[?&](ssl(=true)?(&|$)|sslmode=(require|verify-ca|verify-full))"),
            "jdbc:mariadb:", Pattern.compile("(?i)[?&](sslmode=(trust|verify-ca|verify-full)|usessl=true)"),
            "jdbc:mysql:", Pattern.compile("(?i)[?&](sslmode=(required|verify_ca|verify_identity)|usessl=true)"));

    /** Parameters by which they encrypt for a server that may be any. MariaDB's driver verifies by useSSL=true, MySQL's does not. */
    static final Map<String, Pattern> UNVERIFIED = Map.of(
            "jdbc:postgresql:", Pattern.compile("[?&](sslmode=require(&|$)|sslfactory=[^&]*NonValidating)"),
            "jdbc:mariadb:", Pattern.compile("(?i)[?&](sslmode=trust|trustservercertificate=(true|1))"),
            "jdbc:mysql:",
                    Pattern.compile("(?i)^(?!.*[?&](sslmode=verify_|verifyservercertificate=true))"
                            + ".*[?&](sslmode=required|usessl=true)"));

    /** One host, by whatever mode of the driver, or none. */
    private static final Pattern LOOPBACK = Pattern.compile(
            "jdbc:([a-z+:-]+//(localhost|127\\.[0-9.]+|\\[::1])(:[0-9]+)?([/?].*)?|[a-z]+:(?![^?]*//).*)");

    private static final String VERIFIED = " Add sslmode=verify-full (MySQL: sslMode=VERIFY_IDENTITY).";

    /** It outlives its connections only under a name, and if the URL says so. */
    private static final Pattern LASTING_H2 = Pattern.compile("(?i)jdbc:h2:mem:[^;]+;(.*;)?DB_CLOSE_DELAY=-1(;.*)?");

    private DatabaseUrl() {}

    static void check(SettingsReader reader, String url, JdbcSettings.InMemory inMemory) {
        if (!url.startsWith("jdbc:")) {
            reader.refuse(
                    JdbcSettings.URL, "is not a JDBC URL. Write one such as jdbc:postgresql://localhost:5432/ids.");
            return;
        }
        Optional<Driver> driver = driver(url);
        if (driver.isEmpty()) {
            reader.refuse(
                    JdbcSettings.URL,
                    "is understood by no driver on the class path. Add that of the database, such as"
                            + " org.postgresql:postgresql, org.mariadb.jdbc:mariadb-java-client or com.h2database:h2. If it is"
                            + " there, in an application that is packaged as one jar, merge the files of META-INF/services:"
                            + " META-INF/services/java.sql.Driver has to name it.");
        }
        if (inMemory == JdbcSettings.InMemory.ALLOW
                && url.startsWith("jdbc:h2:mem:")
                && !LASTING_H2.matcher(url).matches()) {
            reader.refuse(
                    JdbcSettings.URL,
                    "is an H2 in memory that is dropped with all worker ids a few seconds after a call, when no connection"
                            + " is open. Write it as jdbc:h2:mem:ids;DB_CLOSE_DELAY=-1, or use a file: jdbc:h2:file:./ids.");
        }
        if (!url.startsWith("jdbc:h2:") && LocalDatabase.isInMemory(url)) {
            reader.refuse(JdbcSettings.URL, LocalDatabase.IS_IN_MEMORY);
        }
        String product =
                url.substring(0, url.indexOf(':', "jdbc:".length()) + 1).toLowerCase(Locale.ROOT);
        Pattern encrypted = ENCRYPTED.get(product);
        Pattern unverified = UNVERIFIED.get(product);
        if (encrypted == null || unverified == null || LOOPBACK.matcher(url).matches()) {
            return;
        }
        if (!encrypted.matcher(url).find()) {
            reader.warn(
                    JdbcSettings.URL,
                    "does not ask for an encrypted connection: anyone who sees the network's traffic can read it, and alter"
                            + " it." + VERIFIED);
        } else if (unverified.matcher(url).find()) {
            reader.warn(
                    JdbcSettings.URL,
                    "asks for an encrypted connection to any server, whatever certificate it shows: one that stands in for"
                            + " the database reads the password, and alters what is written." + VERIFIED);
        }
    }

    /** Not by the DriverManager alone: it does not know the drivers that an application brings to a server. */
    static Optional<Driver> driver(String url) {
        ClassLoader application = Thread.currentThread().getContextClassLoader();
        return Stream.of(application, DatabaseUrl.class.getClassLoader())
                .distinct()
                .flatMap(DatabaseUrl::drivers)
                .filter(driver -> accepts(driver, url))
                .findFirst()
                .or(() -> DriverManager.drivers()
                        .filter(driver -> accepts(driver, url))
                        .findFirst());
    }

    private static Stream<Driver> drivers(@Nullable ClassLoader loader) {
        try {
            return ServiceLoader.load(Driver.class, loader).stream()
                    .flatMap(each -> {
                        try {
                            return Stream.of(each.get());
                        } catch (ServiceConfigurationError | LinkageError unusable) {
                            return Stream.empty();
                        }
                    })
                    .toList()
                    .stream();
        } catch (ServiceConfigurationError unreadable) {
            return Stream.empty();
        }
    }

    private static boolean accepts(Driver driver, String url) {
        try {
            return driver.acceptsURL(url);
        } catch (SQLException e) {
            return false;
        }
    }
}
