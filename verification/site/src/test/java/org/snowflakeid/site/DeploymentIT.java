// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.id;
import static org.snowflakeid.runtime.RunningApplication.json;
import static org.snowflakeid.site.DeploymentFiles.at;
import static org.snowflakeid.site.DeploymentFiles.documents;
import static org.snowflakeid.site.DeploymentFiles.kubernetes;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.config.EnvironmentVariable;
import org.snowflakeid.runtime.RunningApplication;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.kubernetes.ApiServer;

/** The example with the settings and rights of the files, on servers of this machine in place of those that the files name. */
class DeploymentIT {

    @TempDir
    private static Path folder;

    private static Image image;

    @BeforeAll
    static void makeImage() throws Exception {
        image = new Image(folder);
    }

    @Test
    void startsWithTheArchiveOfClassesThatTheImageHas() throws Exception {
        Path loaded = folder.resolve("loaded.txt");
        Map<String, String> environment = Map.of(
                "JAVA_TOOL_OPTIONS",
                "-Xlog:class+load:file=" + loaded,
                "SNOWFLAKE_COORDINATOR",
                "file",
                "SNOWFLAKE_FILE_DIRECTORY",
                Files.createDirectory(folder.resolve("ids")).toString());
        try (RunningApplication example = RunningApplication.start(image, "archive", environment)) {
            assertThat(id(example.get("/ids"))).isPositive();
        }

        assertThat(Files.readString(loaded))
                .contains("org.snowflakeid.LeasedSnowflake source: shared objects file (top)")
                .contains("org.snowflakeid.file.FileStore source: file:" + image.app());
    }

    @Test
    void startsOnKubernetesWithItsSettingsAndRightsAndAnswersItsProbes() throws Exception {
        try (ApiServer api = ApiServer.start()) {
            List<String> verbs = ((List<?>) at(kubernetes("Role"), "rules", 0, "verbs"))
                    .stream().map(String.class::cast).toList();
            Map<String, String> environment = new HashMap<>(DeploymentFiles.settings());
            // In a pod these are mounted.
            api.settings(api.port(), api.token(verbs))
                    .forEach((key, value) -> environment.put(EnvironmentVariable.of(key), value));
            try (RunningApplication example = RunningApplication.start(image, "kubernetes-files", environment)) {
                assertThat(json(example.get("/worker")).getString("coordinator"))
                        .isEqualTo("kubernetes");
                assertThat(id(example.get("/ids"))).isPositive();
                for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
                    String path = (String) at(
                            kubernetes("Deployment"),
                            "spec",
                            "template",
                            "spec",
                            "containers",
                            0,
                            probe,
                            "httpGet",
                            "path");
                    assertThat(example.get(path).statusCode()).as(path).isEqualTo(200);
                }
            }
            assertThat(api.requests())
                    .contains("create leases")
                    .allMatch(request -> verbs.contains(request.split(" ", 2)[0]));
        }
    }

    @Test
    void startsOnEtcdWithTheSettingsOfTheComposeFile() throws Exception {
        Map<String, String> environment = DeploymentFiles.environment("etcd.yaml", "app-1", Map.of());
        try (EtcdServer etcd = EtcdServer.start()) {
            assertThat(environment.replace("SNOWFLAKE_ETCD_ENDPOINTS", etcd.endpoint()))
                    .isEqualTo("http://etcd:2379");
            try (RunningApplication example = RunningApplication.start(image, "compose-etcd", environment)) {
                assertThat(json(example.get("/worker")).getString("coordinator"))
                        .isEqualTo("etcd");
                assertThat(id(example.get("/ids"))).isPositive();
            }
        }
    }

    @Test
    void startsOnPostgreSqlWithTheSettingsOfTheComposeFile() throws Exception {
        Map<String, String> variables = Map.of("POSTGRES_PASSWORD", "se cret-1");
        Map<String, String> environment = DeploymentFiles.environment("postgresql.yaml", "app-1", variables);
        Map<String, String> database = DeploymentFiles.environment("postgresql.yaml", "postgres", variables);
        try (PostgresServer postgres = PostgresServer.builder()
                .access("host all ids 127.0.0.1/32 scram-sha-256")
                .start()) {
            // What the image does with its variables.
            postgres.sql("CREATE ROLE " + database.get("POSTGRES_USER") + " SUPERUSER LOGIN PASSWORD '"
                    + database.get("POSTGRES_PASSWORD") + "'");
            String url = "jdbc:postgresql://postgres:5432/" + database.get("POSTGRES_DB");
            assertThat(environment.replace("SNOWFLAKE_JDBC_URL", postgres.url().replaceFirst("\\?.*", "")))
                    .isEqualTo(url);
            try (RunningApplication example = RunningApplication.start(image, "compose-postgresql", environment)) {
                assertThat(json(example.get("/worker")).getString("coordinator"))
                        .isEqualTo("jdbc");
                assertThat(id(example.get("/ids"))).isPositive();
            }
        }
    }

    @Test
    void everyServiceAndVolumeOfTheComposeFilesIsThere() throws Exception {
        for (String file : List.of("etcd.yaml", "postgresql.yaml")) {
            Map<String, Object> compose = documents("compose/" + file).get(0);
            Map<String, Object> services = DeploymentFiles.map(compose.get("services"));
            for (Object service : services.values()) {
                Map<String, Object> parts = DeploymentFiles.map(service);
                assertThat(services.keySet()).containsAll(strings(parts.get("depends_on")));
                for (String volume : strings(parts.get("volumes"))) {
                    assertThat(DeploymentFiles.map(compose.get("volumes"))).containsKey(volume.split(":", 2)[0]);
                }
            }
        }
    }

    private static List<String> strings(Object list) {
        return list == null
                ? List.of()
                : ((List<?>) list).stream().map(String.class::cast).toList();
    }
}
