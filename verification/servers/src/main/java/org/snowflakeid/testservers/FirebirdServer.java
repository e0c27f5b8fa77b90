// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One Firebird on a free loopback port with files of its own, deleted on close. Needs {@code firebird} and {@code isql-fb} (Debian:
 * firebird3.0-server); their absence is a failure.
 */
public final class FirebirdServer extends DatabaseServer {
    private static final String PASSWORD = "masterkey";

    private final Path program = program("firebird", "apt-get install firebird3.0-server", "/usr/sbin");
    private final Path shell = program("isql-fb", "apt-get install firebird3.0-server");

    private FirebirdServer() {
        super("firebird", FreePorts.next());
    }

    public static FirebirdServer start() {
        FirebirdServer server = new FirebirdServer();
        return server.started(server);
    }

    /** It looks for all its files in one folder. */
    private List<String> command(Path program, String... arguments) {
        Path folder = server.directory();
        List<String> command = new ArrayList<>(List.of(
                "env", "FIREBIRD=" + folder, "FIREBIRD_LOCK=" + folder, "FIREBIRD_TMP=" + folder, program.toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    private void create() {
        Path folder = server.directory();
        Path installed = installed();
        try {
            Files.createDirectories(server.data());
            for (String part : List.of("plugins", "intl", "firebird.msg", "plugins.conf")) {
                Path link = Files.createSymbolicLink(folder.resolve(part), installed.resolve(part));
                assert Files.exists(link);
            }
            Files.writeString(folder.resolve("databases.conf"), "");
            Files.writeString(
                    folder.resolve("firebird.conf"),
                    "RemoteBindAddress = 127.0.0.1\nRemoteServicePort = " + clientPort() + "\nSecurityDatabase = "
                            + server.data().resolve("security.fdb")
                            + "\nWireCrypt = Enabled\nAuthServer = Srp\nUserManager = Srp\n");
            Path statements = folder.resolve("create.sql");
            Files.writeString(
                    statements,
                    "CREATE DATABASE '" + server.data().resolve("security.fdb") + "' USER 'SYSDBA';\n"
                            + "CREATE USER SYSDBA PASSWORD '" + PASSWORD + "';\nCOMMIT;\n"
                            + "CREATE DATABASE '" + database()
                            + "' USER 'SYSDBA' DEFAULT CHARACTER SET UTF8;\nCOMMIT;\n");
            String unused = server.run(command(shell, "-q", "-b", "-user", "SYSDBA", "-i", statements.toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path installed() {
        for (String place : List.of("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu")) {
            Path folder = Path.of(place, "firebird", "3.0");
            if (Files.exists(folder)) {
                return folder;
            }
        }
        throw new IllegalStateException(
                "Firebird's plugins are not there; on Debian they come with firebird3.0-server");
    }

    private Path database() {
        return server.data().resolve("ids.fdb");
    }

    @Override
    void launch() {
        if (!Files.exists(server.data())) {
            create();
        }
        server.launch(command(program));
    }

    @Override
    boolean healthy() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), clientPort()), 1_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public String url(int port) {
        return anonymousUrl(port) + "&user=SYSDBA&password=" + PASSWORD;
    }

    @Override
    public String anonymousUrl(int port) {
        return "jdbc:firebirdsql://127.0.0.1:" + port + "/" + database() + "?encoding=UTF8";
    }
}
