// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.snowflakeid.testservers.PostgresServer;

/** One PostgreSQL. */
final class ChaosOnPostgres extends ServersUnderChaos<PostgresServer> {

    ChaosOnPostgres(int members) {
        super(List.of(PostgresServer.builder().configure("fsync", "on").start()));
        if (members != 1) {
            throw new IllegalArgumentException("one server, not " + members);
        }
    }

    @Override
    public String coordinator() {
        return "jdbc";
    }

    @Override
    public String version() {
        return ask(server -> server.sql("SHOW server_version").strip())
                .map(version -> "PostgreSQL " + version)
                .orElse("PostgreSQL");
    }

    @Override
    public Map<String, String> settings(List<Integer> ports) {
        // A prepared statement is sent by a number of its own, by which the proxy would not recognise it.
        return Map.of("snowflake.jdbc.url", server(0).url(ports.get(0)) + "&prepareThreshold=0");
    }

    /** A client that finds its connection broken opens another first: what is held back is mostly an answer to that. */
    @Override
    public String writing() {
        return "UPDATE \"public\".\"snowflake_record\"";
    }

    /** @return how many records that changed; none if the server does not answer */
    private int change(String namespace, int workerId, String value) {
        return ask(server -> server.sql("UPDATE snowflake_record SET version = version + 1, value = " + value
                        + " WHERE name = '" + namespace + "/marks/" + workerId + "' AND value LIKE E'%\\nexpires=%'"))
                .map(answer -> answer.strip().equals("UPDATE 1") ? 1 : 0)
                .orElse(0);
    }

    @Override
    public boolean deleteOwner(String namespace, int workerId) {
        return change(namespace, workerId, "split_part(value, E'\\n', 1)") == 1;
    }

    @Override
    public boolean expireOwner(String namespace, int workerId) {
        return change(namespace, workerId, "regexp_replace(value, 'expires=\\S+', 'expires=2020-01-01T00:00:00Z')")
                == 1;
    }

    @Override
    public Map<Integer, String> marks(String namespace) {
        String prefix = namespace + "/marks/";
        Optional<String> lines = ask(server -> server.sql("SELECT substr(name, " + (prefix.length() + 1)
                + "), split_part(value, E'\\n', 1) FROM snowflake_record" + " WHERE name LIKE '" + prefix + "%'"));
        Map<Integer, String> marks = new TreeMap<>();
        lines.orElseThrow(() -> new IllegalStateException("the server does not answer"))
                .lines()
                .map(line -> line.split("\\|", 2))
                .forEach(pair -> marks.put(Integer.valueOf(pair[0]), pair[1]));
        return marks;
    }
}
