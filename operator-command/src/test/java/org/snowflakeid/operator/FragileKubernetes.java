// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.snowflakeid.testservers.kubernetes.ApiServer;

/** An API server of Kubernetes. */
final class FragileKubernetes implements FragileCoordinator {
    private static final String RECORD = "snowflakeid.org/record";

    private final ApiServer server = ApiServer.start();
    private final Path token = server.token(ApiServer.VERBS);

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public Map<String, String> settings(int port) {
        Map<String, String> settings = new HashMap<>(server.settings(port, token));
        settings.put("snowflake.coordinator", "kubernetes");
        return settings;
    }

    @Override
    public void loseAllData() {
        server.loseAllData();
    }

    @Override
    public Backup backup() {
        return server.backup()::restore;
    }

    /** Of keys without characters that names of Kubernetes can't have. */
    private static String name(String key) {
        return key.replaceFirst("^/", "").replace('/', '.');
    }

    private JsonObject lease(String key) {
        return JsonParser.parseString(server.lease(name(key))).getAsJsonObject();
    }

    private static JsonObject annotations(JsonObject lease) {
        return lease.getAsJsonObject("metadata").getAsJsonObject("annotations");
    }

    /** The first line: what follows is the owner. */
    @Override
    public String read(String key) {
        return annotations(lease(key))
                .get(RECORD)
                .getAsString()
                .lines()
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void write(String key, String value) {
        JsonObject lease = lease(key);
        String old = annotations(lease).get(RECORD).getAsString();
        int end = old.indexOf('\n');
        annotations(lease).addProperty(RECORD, end < 0 ? value : value + old.substring(end));
        server.put(name(key), lease.toString());
    }

    @Override
    public void delete(String key) {
        server.delete(name(key));
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
