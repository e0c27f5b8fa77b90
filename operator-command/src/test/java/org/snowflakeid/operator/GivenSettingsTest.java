// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.administration.NamespaceAdministration;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SnowflakeKeys;

class GivenSettingsTest {

    private static GivenSettings given(Map<String, String> environment) {
        return new GivenSettings(environment, new Profile(null), "-D", new SettingsFiles());
    }

    @Test
    void aMisspeltKeyInTheFileIsRefusedAndTheNearestNamed(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("application.properties"),
                "snowflake.etcd.endpoint=http://app:hunter2@127.0.0.1:1\nsnowflake.namespaces=shop\nsnowflake.account=a\n");

        assertThatThrownBy(() -> given(Map.of()).file(file).settings("default"))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("The nearest is snowflake.etcd.endpoints.")
                .hasMessageContaining("The nearest is snowflake.namespace.")
                .hasMessageNotContaining("snowflake.account")
                .hasMessageNotContaining("hunter2");
    }

    // its first key was passed over without a word
    @ParameterizedTest
    @ValueSource(strings = {"snowflake.namespace=shop\n", "%prod.snowflake.namespace=shop\n"})
    void aByteOrderMarkBeforeAKeyIsRefusedSinceTheApplicationReadsAnotherKeyThere(String first, @TempDir Path folder)
            throws IOException {
        Path file = Files.writeString(
                folder.resolve("application.properties"), "\uFEFF" + first + "snowflake.window=PT30S\n");

        assertThatThrownBy(() -> given(Map.of()).file(file))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(file + " begins with a byte-order mark")
                .hasMessageContaining("Save the file in UTF-8 without it");
    }

    @Test
    void aByteOrderMarkBeforeACommentDoesNotMatter(@TempDir Path folder) throws IOException {
        Path file =
                Files.writeString(folder.resolve("application.properties"), "\uFEFF# ours\nsnowflake.namespace=shop\n");

        assertThat(given(Map.of()).file(file).settings("default").namespace()).isEqualTo("shop");
    }

    @Test
    void aMisspeltEnvironmentVariableIsRefusedAndThoseOfOthersAreNot() {
        Map<String, String> ofOthers = Map.of(
                "SNOWFLAKE_ACCOUNT",
                "a",
                "SNOWFLAKE_ETCD_SERVICE_HOST",
                "10.0.0.1",
                "SNOWFLAKE_ETCD_PORT_2379_TCP",
                "t");

        assertThatThrownBy(() -> given(Map.of("SNOWFLAKE_NAMESPACES", "shop")).settings("default"))
                .hasMessageContaining("The nearest is SNOWFLAKE_NAMESPACE.");
        assertThat(given(ofOthers).settings("default").namespace()).isEqualTo("snowflake");
    }

    // records of another datacenter, tenant or schema are those of another place, though the server is the same
    @Test
    void everySettingByWhichRecordsAreFoundBelongsToThePlace() {
        assertThat(SnowflakeKeys.all(GivenSettings.class.getClassLoader()).stream()
                        .filter(Key::isPlace)
                        .map(Key::name))
                .containsExactlyInAnyOrder(
                        "snowflake.consul.datacenter",
                        "snowflake.consul.url",
                        "snowflake.etcd.endpoints",
                        "snowflake.file.directory",
                        "snowflake.jdbc.data-source",
                        "snowflake.jdbc.schema",
                        "snowflake.jdbc.table",
                        "snowflake.jdbc.url",
                        "snowflake.jdbc.user",
                        "snowflake.kubernetes.namespace",
                        "snowflake.kubernetes.url",
                        "snowflake.nacos.context-path",
                        "snowflake.nacos.nacos-namespace",
                        "snowflake.nacos.server-addr",
                        "snowflake.redis.uri",
                        "snowflake.zookeeper.connect-string");
    }

    // the message says that -D helps
    @Test
    void anExpressionInTheFileDoesNotMatterIfItsValueIsTyped(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("application.properties"), "snowflake.namespace=${stage}\n");

        assertThatThrownBy(() -> given(Map.of()).file(file).settings("default"))
                .hasMessageContaining("-Dsnowflake.namespace=");
        GivenSettings typed =
                given(Map.of()).typed(Map.of("snowflake.namespace", "shop")).file(file);
        assertThat(typed.settings("default").namespace()).isEqualTo("shop");
    }

    // it was refused with the advice to type its value, and that was refused too, since the command does not read it
    @Test
    void anExpressionInTheFileDoesNotMatterIfItsKeyIsNotRead(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("application.properties"),
                "snowflake.coordinator=file\nsnowflake.file.directory=" + folder
                        + "\nsnowflake.redis.password=${secret}\nsnowflake.generators.orders.window=${window}\n");
        GivenSettings given = given(Map.of()).file(file);

        NamespaceAdministration.open(given.settings("default")).close();

        GivenSettings.requireAllRead(given);
        assertThatThrownBy(() -> given.settings("orders"))
                .hasMessageContaining("-Dsnowflake.generators.orders.window=");
    }

    @Test
    void whatIsToBeIgnoredIsPassedOver() {
        GivenSettings given =
                given(Map.of()).typed(Map.of("snowflake.ignore", "snowflake.windows", "snowflake.windows", "7"));

        assertThat(given.settings("default").namespace()).isEqualTo("snowflake");
    }

    @Test
    void thePlaceIsWhatTheCoordinatorDeclaresAsOneAndShowsNoSecret() {
        GivenSettings given = given(Map.of())
                .typed(Map.of(
                        "snowflake.coordinator", "etcd",
                        "snowflake.etcd.endpoints", "app:hunter2@127.0.0.1:1",
                        "snowflake.etcd.password", "hunter2"));

        assertThatThrownBy(() -> NamespaceAdministration.open(given.settings("default")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageNotContaining("hunter2");

        assertThat(given.place()).isEqualTo("***@127.0.0.1:1");
    }

    @Test
    void aVariableOfAnotherCoordinatorIsNoPlace() {
        GivenSettings given = given(Map.of("SNOWFLAKE_REDIS_URI", "redis://127.0.0.1:2", "SNOWFLAKE_NAMESPACE", "shop"))
                .typed(Map.of("snowflake.coordinator", "etcd", "snowflake.etcd.endpoints", "app:hunter2@127.0.0.1:1"));

        SnowflakeSettings settings = given.settings("default");
        assertThatThrownBy(() -> NamespaceAdministration.open(settings)).isInstanceOf(InvalidSettingsException.class);

        assertThat(settings.namespace()).isEqualTo("shop");
        assertThat(given.place()).isEqualTo("***@127.0.0.1:1");
    }

    // "several coordinators are on the class path"
    @Test
    void aVariableThatKubernetesMakesForAServiceConfiguresNoCoordinator(@TempDir Path folder) {
        GivenSettings given =
                given(Map.of("SNOWFLAKE_FILE_DIRECTORY", folder.toString(), "SNOWFLAKE_ETCD_SERVICE_HOST", "10.0.0.1"));

        assertThat(given.settings("default").coordinator()).hasValue("file");
    }

    @Test
    void variablesOfKubernetesAloneConfigureNothing() {
        GivenSettings given = given(Map.of("SNOWFLAKE_ETCD_PORT_2379_TCP", "tcp://10.0.0.1:2379"));

        assertThatThrownBy(given::requireCoordinator)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("No setting says which coordinator is meant");
    }

    // "several coordinators are on the class path"
    @Test
    void aVariableThatIsToBeIgnoredConfiguresNoCoordinator(@TempDir Path folder) {
        GivenSettings given = given(Map.of(
                "SNOWFLAKE_FILE_DIRECTORY", folder.toString(),
                "SNOWFLAKE_JDBC_URL", "jdbc:snowflake://warehouse",
                "SNOWFLAKE_IGNORE", "SNOWFLAKE_JDBC_*"));

        assertThat(given.settings("default").coordinator()).hasValue("file");
        assertThat(given.warnings()).isEmpty();
    }

    // restore was refused: "is of another one, and nothing says which of them the application uses"
    @Test
    void aVariableThatTheFileIgnoresContradictsNothing(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("application.properties"),
                "snowflake.file.directory=" + folder + "\nsnowflake.ignore=SNOWFLAKE_ACCOUNT,snowflake.jdbc.*\n");
        GivenSettings given = given(Map.of("SNOWFLAKE_JDBC_URL", "jdbc:snowflake://warehouse"))
                .file(file);

        assertThat(given.settings("default").coordinator()).hasValue("file");
        assertThat(given.contradictions()).isEmpty();
    }

    // the application asks for the key, gets the variable, and leaves that to the other software
    @Test
    void anIgnoredVariableHidesTheKeyOfTheFileFromTheApplication(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("application.properties"),
                "snowflake.coordinator=file\nsnowflake.ignore=SNOWFLAKE_NAMESPACE\nsnowflake.namespace=shop\n");
        GivenSettings given = given(Map.of("SNOWFLAKE_NAMESPACE", "warehouse")).file(file);

        assertThat(given.settings("default").namespace()).isEqualTo("shop");
        assertThat(given.contradictions())
                .singleElement()
                .asString()
                .startsWith(
                        "snowflake.namespace in " + file + " is hidden from the application by the environment variable"
                                + " SNOWFLAKE_NAMESPACE, which snowflake.ignore names: the application takes neither")
                .endsWith("Say which is meant with -Dsnowflake.namespace=…, or unset the variable.");
    }

    // status showed another namespace than the variables said, and nothing told why
    @Test
    void variablesThatAreHiddenAreNamed(@TempDir Path folder) {
        GivenSettings given = given(Map.of("SNOWFLAKE_NAMESPACE", "shop", "SNOWFLAKE_IGNORE", "SNOWFLAKE_*"))
                .typed(Map.of("snowflake.file.directory", folder.toString()));
        GivenSettings withoutPlace =
                given(Map.of("SNOWFLAKE_FILE_DIRECTORY", folder.toString(), "SNOWFLAKE_IGNORE", "SNOWFLAKE_*"));

        assertThat(given.settings("default").namespace()).isEqualTo("snowflake");
        withoutPlace.settings("default");

        assertThat(given.remarks())
                .singleElement()
                .asString()
                .startsWith("snowflake.ignore=SNOWFLAKE_* hides SNOWFLAKE_NAMESPACE from this command");
        assertThatThrownBy(withoutPlace::requireCoordinator)
                .hasMessageContaining("No setting says which coordinator is meant")
                .hasMessageContaining("snowflake.ignore=SNOWFLAKE_* hides SNOWFLAKE_FILE_DIRECTORY");
    }

    // the application starts with it, and the command refused it as misspelt
    @Test
    void theVariableThatSaysWhatIsIgnoredMayNameItself(@TempDir Path folder) {
        GivenSettings given = given(Map.of("SNOWFLAKE_IGNORE", "SNOWFLAKE_*"))
                .typed(Map.of("snowflake.file.directory", folder.toString(), "snowflake.windows", "7"));

        assertThat(given.settings("default").coordinator()).hasValue("file");
    }

    @Test
    void whatIsTypedDecidesWhichVariablesAreToBeIgnored(@TempDir Path folder) {
        GivenSettings given = given(Map.of(
                        "SNOWFLAKE_FILE_DIRECTORY", folder.toString(),
                        "SNOWFLAKE_JDBC_URL", "jdbc:snowflake://warehouse",
                        "SNOWFLAKE_IGNORE", "SNOWFLAKE_FILE_*"))
                .typed(Map.of("snowflake.ignore", "snowflake.jdbc.*"));

        assertThat(given.settings("default").coordinator()).hasValue("file");
    }
}
