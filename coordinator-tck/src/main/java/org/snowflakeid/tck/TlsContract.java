// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.config.UnresolvedValueException;

/**
 * What a coordinator promises of encrypted connections, whose PEM files the keys {@code snowflake.<coordinator>.tls.ca}, {@code .cert} and
 * {@code .key} name: whom it trusts, what it says of a server that it does not trust or can't talk to, and which files it refuses.
 *
 * <p>{@link MutualTlsContract} has what is promised where the server demands a certificate of its client.
 */
public abstract class TlsContract {
    /** A host of this machine that no certificate of a test's is for. */
    public static final String OTHER_HOST = "127.0.0.2";

    private static final String HOST = "127.0.0.1";

    @TempDir
    protected Path directory;

    final Map<String, String> trusted;
    final Map<String, String> foreign;

    final String ca;
    final String cert;
    final String key;

    @RegisterExtension
    private final LogListener log = new LogListener();

    private final String coordinator;
    private final String addressKey;

    private final Ports ports;

    /**
     * Where servers listen.
     *
     * @param encrypted of one with a certificate for 127.0.0.1
     * @param otherHost leads there too, on {@link #OTHER_HOST}
     * @param plain of one without encryption
     */
    public record Ports(int encrypted, int otherHost, int plain) {}

    /**
     * @param coordinator its name
     * @param addressKey where the server is named, such as {@code snowflake.etcd.endpoints}
     * @param trusted all three keys: the authority of the server, and a client's certificate of it with its private key
     * @param foreign the same of another authority
     */
    protected TlsContract(
            String coordinator,
            String addressKey,
            Ports ports,
            Map<String, String> trusted,
            Map<String, String> foreign) {
        this.coordinator = coordinator;
        this.addressKey = addressKey;
        this.ports = ports;
        this.trusted = trusted;
        this.foreign = foreign;
        ca = "snowflake." + coordinator + ".tls.ca";
        cert = "snowflake." + coordinator + ".tls.cert";
        key = "snowflake." + coordinator + ".tls.key";
    }

    /** Keys of a client that takes what is there for encrypted or for plain; none that names a file of these. */
    protected abstract Map<String, String> at(boolean encrypted, String host, int port);

    /** Those of {@link #trusted} that a client of the encrypted port needs. */
    protected Map<String, String> needed() {
        return only(trusted, ca);
    }

    /** What is said to a plain client of an encrypted server, with the key to check. */
    protected abstract String saidToAPlainClient();

    /** What is said to a client that finds a server without encryption, with the key to check. */
    protected abstract String saidOfAPlainServer();

    static Map<String, String> only(Map<String, String> files, String... keys) {
        Map<String, String> those = new HashMap<>(files);
        those.keySet().retainAll(List.of(keys));
        return those;
    }

    static Map<String, String> with(Map<String, String> settings, Map<String, String> more) {
        Map<String, String> all = new HashMap<>(settings);
        all.putAll(more);
        return all;
    }

    final Node node(Map<String, String> settings) {
        return new Node(coordinator, "snowflake", Node.TIME_TO_LIVE, settings);
    }

    final Map<String, String> encrypted() {
        return at(true, HOST, ports.encrypted());
    }

    /** The only problem that it has with them. */
    private String problem(Map<String, String> settings) {
        List<String> problems = Node.problems(coordinator, settings::get);
        assertThat(problems).hasSize(1);
        return problems.get(0);
    }

    @Test
    public final void worksOverTls() {
        try (Node node = node(with(encrypted(), needed()))) {
            node.claimExtendAndRelease();
        }
    }

    @Test
    public final void serverOfAnotherAuthorityIsNotTrusted() {
        String address = Objects.requireNonNull(encrypted().get(addressKey));
        Map<String, String> ofTheJvm = new HashMap<>(needed());
        ofTheJvm.remove(ca);

        node(with(encrypted(), with(needed(), only(foreign, ca)))).refused(true, address, "not trusted", ca);
        node(with(encrypted(), ofTheJvm)).refused(true, address, "not trusted", ca);
    }

    @Test
    public final void serverWithTheCertificateOfAnotherHostIsNotTrusted() {
        node(with(at(true, OTHER_HOST, ports.otherHost()), needed()))
                .refused(true, "not trusted", "the host name", addressKey);
    }

    @Test
    public final void authorityIsReadAnewFromItsFile() throws IOException {
        Path file = Files.copy(Path.of(foreign.get(ca)), directory.resolve("ca"));
        try (Node node = node(with(encrypted(), with(needed(), Map.of(ca, file.toString()))))) {
            assertThat(node.answers()).isFalse();

            Files.write(file, Files.readAllBytes(Path.of(trusted.get(ca))));

            node.awaitAnswer();
            node.claimExtendAndRelease();
        }
    }

    @Test
    public final void plainClientOfAnEncryptedServerIsToldSo() {
        node(at(false, HOST, ports.encrypted())).refused(false, saidToAPlainClient());
    }

    @Test
    public final void encryptedClientOfAPlainServerIsToldSo() {
        node(with(at(true, HOST, ports.plain()), needed())).refused(false, saidOfAPlainServer());
    }

    @Test
    public final void filesForAPlainConnectionAreRefused() {
        for (String each : List.of(ca, cert, key)) {
            assertThat(Node.problems(coordinator, with(at(false, HOST, ports.plain()), only(trusted, each))::get))
                    .anyMatch(problem -> problem.contains("snowflake." + coordinator + ".tls.*"));
        }
    }

    @Test
    public final void filesThatAreAbsentOrNotPemAreRefused() throws IOException {
        String absent = directory.resolve("absent").toString();
        String text = Files.writeString(directory.resolve("text"), "no PEM").toString();
        for (String each : List.of(ca, cert, key)) {
            assertThat(problem(with(encrypted(), with(trusted, Map.of(each, absent)))))
                    .startsWith("snowflake 'orders': " + each + "=" + absent + " is not a readable file");
            assertThat(problem(with(encrypted(), with(trusted, Map.of(each, text)))))
                    .startsWith("snowflake 'orders': " + each + "=" + text + " holds no ")
                    .contains("Name ");
        }
    }

    @Test
    public final void certificateWithoutItsKeyAndKeyWithoutItsCertificateAreRefused() {
        assertThat(problem(with(encrypted(), only(trusted, ca, cert))))
                .startsWith("snowflake 'orders': " + cert + "=" + trusted.get(cert) + " ")
                .contains("Set " + key);
        assertThat(problem(with(encrypted(), only(trusted, ca, key))))
                .startsWith("snowflake 'orders': " + key + "=" + trusted.get(key) + " ")
                .contains("Set " + cert);
    }

    // the exception left the constructor, and took along what else was wrong
    @Test
    public final void fileThatRefersToNothingIsOneProblemOfAll() {
        Map<String, String> settings = with(encrypted(), only(trusted, cert));

        assertThat(Node.problems(coordinator, asked -> {
                    if (asked.equals(ca)) {
                        throw new UnresolvedValueException(ca, "${UNSET}/ca.pem");
                    }
                    return settings.get(asked);
                }))
                .hasSize(2)
                .anyMatch(problem ->
                        problem.startsWith("snowflake 'orders': " + ca + "=${UNSET}/ca.pem refers to a property"))
                .anyMatch(problem -> problem.contains("Set " + key));
    }

    @Test
    public final void privateKeyThatAllMayReadIsWarnedOf() throws IOException {
        Path open = Files.copy(Path.of(trusted.get(key)), directory.resolve("key"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        Path kept = Files.copy(open, directory.resolve("kept"));
        Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rw-r-----"));

        node(with(encrypted(), with(trusted, Map.of(key, kept.toString())))).close();
        node(with(encrypted(), with(trusted, Map.of(key, open.toString())))).close();

        assertThat(log.linesWith(kept.toString())).isEmpty();
        SecretFileContract.assertWarned(log, key, open);
    }
}
