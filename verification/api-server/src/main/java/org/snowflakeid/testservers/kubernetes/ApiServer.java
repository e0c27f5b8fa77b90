// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers.kubernetes;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.snowflakeid.testservers.Certificates;

/** An API server with one namespace, {@value #NAMESPACE}, whose clients have tokens and rights. */
public interface ApiServer extends AutoCloseable {

    String NAMESPACE = "apps";

    /** What the Role in the docs grants. */
    List<String> VERBS = List.of("get", "list", "create", "update");

    /** A real one where the system property {@code snowflake.test.kube-apiserver} names its program, else the mock; encrypted. */
    static ApiServer start() {
        String program = System.getProperty("snowflake.test.kube-apiserver", "");
        return program.isEmpty() ? MockApiServer.startEncrypted() : RealApiServer.start(program);
    }

    int port();

    Certificates certificates();

    /** A new file with a token of a service account that has these rights on leases. */
    Path token(List<String> verbs);

    /** What a client at that port is configured with. */
    default Map<String, String> settings(int port, Path token) {
        return Map.of(
                "snowflake.kubernetes.url",
                "https://127.0.0.1:" + port,
                "snowflake.kubernetes.namespace",
                NAMESPACE,
                "snowflake.kubernetes.tls.ca",
                certificates().ca().toString(),
                "snowflake.kubernetes.token-file",
                token.toString());
    }

    default Map<String, String> settings() {
        return settings(port(), token(VERBS));
    }

    /** The object, as JSON. */
    String lease(String name);

    /** As an administrator. */
    void put(String name, String json);

    void delete(String name);

    /** What clients other than the administrator asked for since the start, such as {@code update leases}. */
    List<String> requests();

    /** It ends at once; what is stored stays. */
    void kill();

    /** It can be reached when this returns. */
    void startAgain();

    /** Of a running server. */
    Backup backup();

    /** What a server once held. */
    interface Backup {
        /** Starts the server again with that. */
        void restore();
    }

    /** Starts again with nothing but the namespace, rights and tokens. */
    void loseAllData();

    @Override
    void close();
}
