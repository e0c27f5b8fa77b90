// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.util.List;

/**
 * One MySQL on a free loopback port with a data directory of its own, deleted on close. Needs {@code mysqld}, of MySQL and not of MariaDB, on
 * the path; its absence is a failure.
 */
public final class MySqlServer extends MySqlLikeServer {

    private MySqlServer(List<String> options) {
        super("mysql", program("mysqld", "it is in unstable only: mysql-server-core"));
        this.options.addAll(List.of("--mysqlx=OFF", "--secure-file-priv=NULL", "--skip-name-resolve"));
        this.options.addAll(options);
    }

    /** @param options further options of the server */
    public static MySqlServer start(String... options) {
        MySqlServer server = new MySqlServer(List.of(options));
        return server.started(server);
    }

    @Override
    void createData() {
        String unused = server.run(command("--initialize-insecure"));
    }

    @Override
    public String url(int port) {
        return super.url(port) + "&sslMode=DISABLED";
    }
}
