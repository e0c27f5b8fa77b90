// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** An SQL database, always as processes. It lets this account in as its administrator, by the URL that it tells. */
public abstract sealed class DatabaseServer extends TestServer permits FirebirdServer, MySqlLikeServer, PostgresServer {
    private final int port;

    DatabaseServer(String software, int port) {
        super(software + " " + port, new ServerProcess(software + "-" + port, Map.of("LC_ALL", "C")));
        this.port = port;
    }

    @Override
    public int clientPort() {
        return port;
    }

    @Override
    public boolean leads() {
        return true;
    }

    /** Of the database {@code ids}, for that administrator. */
    public String url() {
        return url(port);
    }

    /** The same by a proxy. */
    public abstract String url(int port);

    /** The same without a user. */
    public abstract String anonymousUrl(int port);

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** A copy of the data of the running server, which stands still for it; deleted with it. */
    public Path backup() {
        Path data = server.reachableData();
        Path copy = data.resolveSibling("backup-" + System.nanoTime());
        pause();
        try {
            // With owners and rights, which the server insists on.
            String unused = server.run(List.of("cp", "-a", data.toString(), copy.toString()));
        } finally {
            resume();
        }
        return copy;
    }

    /** Puts a backup in place of the data of a server that does not run. */
    public void restore(Path backup) {
        Path data = server.reachableData();
        if (Files.exists(data)) {
            wipe();
        }
        String unused = server.run(List.of("cp", "-a", backup.toString(), data.toString()));
    }

    /** The first of these directories that has the program; some may have a number, of which the highest counts. */
    static Path program(String name, String remedy, String... directories) {
        List<Path> places = new ArrayList<>();
        for (String each : System.getenv("PATH").split(":", -1)) {
            places.add(Path.of(each));
        }
        for (String each : directories) {
            int star = each.indexOf('*');
            if (star < 0) {
                places.add(Path.of(each));
                continue;
            }
            Path parent = Path.of(each.substring(0, star));
            try (Stream<Path> versions = Files.isDirectory(parent) ? Files.list(parent) : Stream.empty()) {
                versions.sorted((a, b) -> number(b) - number(a))
                        .forEach(version -> places.add(version.resolve(each.substring(star + 2))));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return places.stream()
                .map(place -> place.resolve(name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(name + " is not there; on Debian: " + remedy));
    }

    private static int number(Path version) {
        String digits = version.getFileName().toString().replaceAll("\\D.*", "");
        return digits.isEmpty() ? 0 : Integer.parseInt(digits);
    }
}
