// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.RedisServer;
import org.snowflakeid.testservers.ZooKeeperServer;

/** The jar as operators get it, in a process of its own: all coordinators in it, quiet, and nothing of a secret. */
class PackagedCommandIT {

    @TempDir
    private Path folder;

    /** A directory in which there is nothing else: the jar was copied there, as from a repository. */
    private Path alone() throws IOException {
        Path alone = folder.resolve("alone");
        if (!Files.exists(alone)) {
            Files.createDirectory(alone);
            Files.copy(Path.of("target", "snowflake-operator.jar"), alone.resolve("snowflake-operator.jar"));
        }
        return alone;
    }

    private Session java(Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        if (Runtime.version().feature() >= 24) {
            // As bin/snowflake-operator does: what Protocol Buffers does with Unsafe is not ours.
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(List.of("-jar", "snowflake-operator.jar"));
        command.addAll(List.of(arguments));
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(alone().toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(key -> key.startsWith("SNOWFLAKE_") || key.equals("CLASSPATH"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        try {
            assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Session(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    @ParameterizedTest
    @CsvSource({
        "org.snowflakeid.LeasedSnowflake, snowflake-core, org.jspecify/jspecify@",
        "org.snowflakeid.consul.ConsulCoordinatorProvider, snowflake-coordinator-consul, org.snowflakeid/snowflake-coordinator-http@",
        "org.snowflakeid.nacos.NacosCoordinatorProvider, snowflake-coordinator-nacos, org.snowflakeid/snowflake-coordinator-http@",
        "org.snowflakeid.kubernetes.KubernetesCoordinatorProvider, snowflake-coordinator-kubernetes, org.snowflakeid/snowflake-coordinator-http@",
        "org.snowflakeid.http.HttpCaller, snowflake-coordinator-http, com.google.code.gson/gson@",
        "org.snowflakeid.administration.NamespaceReport, snowflake-administration, org.snowflakeid/snowflake-core@",
        "org.snowflakeid.support.Shared, snowflake-coordinator-support, org.snowflakeid/snowflake-core@",
        "org.snowflakeid.etcd.EtcdCoordinatorProvider, snowflake-coordinator-etcd, io.etcd/jetcd-grpc@",
        "org.snowflakeid.file.FileCoordinatorProvider, snowflake-coordinator-file, org.snowflakeid/snowflake-core@",
        "org.snowflakeid.redis.RedisCoordinatorProvider, snowflake-coordinator-redis, redis.clients/jedis@",
        "org.snowflakeid.zookeeper.ZooKeeperCoordinatorProvider, snowflake-coordinator-zookeeper, org.apache.zookeeper/zookeeper@",
        "org.snowflakeid.tck.WorkerCoordinatorContract, snowflake-coordinator-tck, org.junit.jupiter/junit-jupiter-api@",
        "org.snowflakeid.testing.TestSnowflake, snowflake-testing, org.snowflakeid/snowflake-core@"
    })
    void publishedJarsHoldTheirBillOfMaterials(String type, String artifact, String component) throws Exception {
        URI jar = Class.forName(type)
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI();

        assertThat(billOfMaterials(Path.of(jar), artifact))
                .contains("CycloneDX", "pkg:maven/org.snowflakeid/" + artifact + "@", "pkg:maven/" + component);
    }

    @Test
    void theCommandHoldsTheBillOfMaterialsOfAllThatIsInIt() throws IOException {
        assertThat(billOfMaterials(Path.of("target", "snowflake-operator.jar"), "snowflake-operator"))
                .contains(
                        "CycloneDX",
                        "info.picocli/picocli@",
                        "io.netty/netty-common@",
                        "org.apache.zookeeper/zookeeper@");
    }

    private static String billOfMaterials(Path jar, String artifact) throws IOException {
        try (JarFile content = new JarFile(jar.toFile());
                InputStream entry =
                        content.getInputStream(content.getEntry("META-INF/sbom/" + artifact + ".cdx.json"))) {
            return new String(entry.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void movesFromEtcdToAFolderAndBackWithAHiddenPassword() throws Exception {
        try (EtcdServer etcd = EtcdServer.start()) {
            LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(
                    Map.of("snowflake.coordinator", "etcd", "snowflake.etcd.endpoints", etcd.endpoint())));
            ids.close();
            etcd.etcdctl("user", "add", "root:hunter2");
            etcd.etcdctl("user", "grant-role", "root", "root");
            etcd.etcdctl("auth", "enable");
            String toFolder = "snowflake.file.directory=" + folder.resolve("ids");
            String toEtcd = "snowflake.etcd.endpoints=" + etcd.endpoint();
            Map<String, String> environment =
                    Map.of("SNOWFLAKE_ETCD_USER", "root", "SNOWFLAKE_ETCD_PASSWORD", "hunter2");

            Session status = java(environment, "status", "-D" + toEtcd, "--all");
            Session json = java(environment, "status", "-D" + toEtcd, "--json");
            Session unasked = java(environment, "move", "--from", toEtcd, "--to", toFolder);
            Session there =
                    java(environment, "move", "--from", toEtcd, "--to", toFolder, "--yes", "--namespace", "snowflake");
            Session back =
                    java(environment, "move", "--from", toFolder, "--to", toEtcd, "--yes", "--namespace", "snowflake");
            Session wrongPassword = java(
                    Map.of("SNOWFLAKE_ETCD_USER", "root", "SNOWFLAKE_ETCD_PASSWORD", "hunter3"),
                    "status",
                    "-D" + toEtcd);

            try (Stream<Path> files = Files.list(alone())) {
                assertThat(files).hasSize(1);
            }
            assertThat(status.exitCode()).as(status.all()).isZero();
            assertThat(json.out()).startsWith("{\"format\":1,\"namespace\":\"snowflake\",\"coordinator\":\"etcd\"");
            assertThat(status.out()).contains("record       active", "0 held, 1 ever claimed of 1024", "; free");
            assertThat(unasked.exitCode()).isEqualTo(OperatorCommand.NOT_CONFIRMED);
            assertThat(there.exitCode()).as(there.all()).isZero();
            assertThat(back.exitCode()).as(back.all()).isZero();
            assertThat(etcd.etcdctl("--user=root:hunter2", "get", "/snowflake/meta"))
                    .contains("state=active", "replaces=");
            assertThat(wrongPassword.exitCode()).isEqualTo(OperatorCommand.FAILED);
            assertThat(List.of(status.err(), json.err(), there.err(), back.err()))
                    .containsOnly("");
            assertThat(status.all() + unasked.all() + there.all() + back.all() + wrongPassword.all())
                    .doesNotContain("hunter");
        }
    }

    @Test
    void movesFromAFolderToZooKeeper() throws Exception {
        try (ZooKeeperServer zooKeeper = ZooKeeperServer.start()) {
            String ofFolder = "snowflake.file.directory=" + folder.resolve("ids");
            LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(Map.of(
                    "snowflake.coordinator",
                    "file",
                    "snowflake.file.directory",
                    folder.resolve("ids").toString())));
            ids.close();
            Map<String, String> environment =
                    Map.of("SNOWFLAKE_ZOOKEEPER_CONNECT_STRING", zooKeeper.connectString() + "/ids");

            Session there = java(
                    environment,
                    "move",
                    "--from",
                    ofFolder,
                    "--to",
                    "snowflake.coordinator=zookeeper",
                    "--yes",
                    "--namespace",
                    "snowflake");
            Session status = java(environment, "status");

            assertThat(there.exitCode()).as(there.all()).isZero();
            assertThat(status.exitCode()).as(status.all()).isZero();
            assertThat(status.out())
                    .contains("snowflake at zookeeper (" + zooKeeper.connectString() + "/ids)", "active");
            assertThat(List.of(there.err(), status.err())).containsOnly("");
        }
    }

    @Test
    void movesFromAFolderToRedis() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            String ofFolder = "snowflake.file.directory=" + folder.resolve("ids");
            LeasedSnowflake ids = LeasedSnowflake.open(SnowflakeSettings.of(Map.of(
                    "snowflake.coordinator",
                    "file",
                    "snowflake.file.directory",
                    folder.resolve("ids").toString())));
            ids.close();
            Map<String, String> environment = Map.of("SNOWFLAKE_REDIS_URI", redis.uri());

            Session there = java(
                    environment,
                    "move",
                    "--from",
                    ofFolder,
                    "--to",
                    "snowflake.coordinator=redis",
                    "--yes",
                    "--namespace",
                    "snowflake");
            Session status = java(environment, "status");

            assertThat(there.exitCode()).as(there.all()).isZero();
            assertThat(status.exitCode()).as(status.all()).isZero();
            assertThat(status.out()).contains("snowflake at redis (" + redis.uri() + ")", "active");
            assertThat(List.of(there.err(), status.err())).containsOnly("");
        }
    }

    @Test
    void auditsATableByTheDriverThatIsInTheJar() throws Exception {
        try (PostgresServer postgres = PostgresServer.start()) {
            postgres.sql("CREATE TABLE orders (id bigint PRIMARY KEY);"
                    + " INSERT INTO orders SELECT n << 22 FROM generate_series(1::bigint, 9) n");

            Session audit = java(Map.of(), "audit", "--url", postgres.url(), "--table", "orders");
            Session other = java(Map.of(), "audit", "--url", "jdbc:mariadb://127.0.0.1:1/shop", "--table", "orders");

            assertThat(audit.exitCode()).as(audit.all()).isZero();
            assertThat(audit.out()).contains("rows    9, ids from", "No fault was found.");
            assertThat(audit.err()).isEmpty();
            assertThat(other.exitCode()).isEqualTo(OperatorCommand.WRONG_USE);
            assertThat(other.err()).contains("is understood by no driver on the class path", "java -cp");
        }
    }

    @Test
    void tellsItsVersion() throws Exception {
        assertThat(java(Map.of(), "--version").out()).startsWith("snowflake-operator 0.");
    }
}
