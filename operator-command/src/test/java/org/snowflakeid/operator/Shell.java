// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Where an operator types: {@code snowflake-operator} and {@code zkCli.sh} are on the path, each a JVM of its own, and
 * {@code application.properties} is in the directory. To each question for a name the operator answers {@code snowflake}.
 */
final class Shell {

    private final Path directory;
    private final Map<String, String> settings;

    Shell(Path directory, Map<String, String> settings) {
        this.directory = directory;
        this.settings = settings;
        try {
            StringBuilder lines = new StringBuilder();
            settings.forEach(
                    (key, value) -> lines.append(key).append('=').append(value).append('\n'));
            Files.writeString(directory.resolve("application.properties"), lines);
            Files.writeString(directory.resolve("root-password"), "hunter1\n");
            Files.writeString(directory.resolve("app-password"), "hunter2\n");
            String command = java() + " org.snowflakeid.operator.OperatorCommand \"$@\"";
            // Watching ends with Ctrl-C only: here when an extension was shown.
            script(
                    "snowflake-operator",
                    "case \" $* \" in *' --watch '*)\n"
                            + "    out=$(mktemp -p .)\n"
                            + "    " + command + " > $out 2>&1 &\n"
                            + "    until grep -q extended: $out; do sleep 0.1; done\n"
                            + "    kill $!; cat $out; exit;;\n"
                            + "esac\n"
                            + "echo snowflake | " + command + "\n");
            script("zkCli.sh", java() + " org.apache.zookeeper.ZooKeeperMain \"$@\"\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String java() {
        String unsafe = Runtime.version().feature() >= 24 ? " --sun-misc-unsafe-memory-access=allow" : "";
        return Path.of(System.getProperty("java.home"), "bin", "java") + unsafe
                + " --enable-native-access=ALL-UNNAMED -XX:TieredStopAtLevel=1 -cp '"
                + System.getProperty("java.class.path") + "'";
    }

    private void script(String name, String text) throws IOException {
        Path script = Files.writeString(directory.resolve(name), "#!/usr/bin/env bash\n" + text);
        assertThat(script.toFile().setExecutable(true)).isTrue();
    }

    /** Runs commands as they stand on a page; each has to succeed. Returns all that was printed. */
    String type(String commands) {
        String typed = commands.replace("http://etcd-1:2379", endpoint())
                .replace("zk-1:2181", settings.getOrDefault("snowflake.zookeeper.connect-string", "zk-1:2181"));
        try {
            Path out = Files.createTempFile(directory, "out", "");
            ProcessBuilder builder = new ProcessBuilder("bash", "-e", "-u", "-o", "pipefail", "-c", typed)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile());
            Map<String, String> environment = builder.environment();
            environment.put("PATH", directory + ":" + environment.get("PATH"));
            environment.put("ETCDCTL_API", "3");
            environment.put("ETCDCTL_ENDPOINTS", endpoint());
            Process process = builder.start();
            process.getOutputStream().close();
            try {
                assertThat(process.waitFor(180, TimeUnit.SECONDS)).as(typed).isTrue();
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
            String printed = Files.readString(out);
            assertThat(process.exitValue()).as(typed + "\n" + printed).isZero();
            return printed;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private String endpoint() {
        return settings.getOrDefault("snowflake.etcd.endpoints", "http://etcd-1:2379");
    }
}
