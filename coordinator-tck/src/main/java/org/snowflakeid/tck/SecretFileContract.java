// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.CoordinatorException;

/**
 * What a coordinator promises of a password or token that is in a file: it is read anew, nothing else in the file belongs to it, and no
 * message or line of the log shows it.
 *
 * <p>{@link SecretContract} has what is promised where it may also be a setting.
 */
public abstract class SecretFileContract {
    @TempDir
    protected Path directory;

    @RegisterExtension
    private final LogListener log = new LogListener();

    private final String coordinator;
    private final String fileKey;
    final String secret;
    final String wrongSecret;

    /**
     * @param coordinator its name
     * @param fileKey where the file is named, such as {@code snowflake.etcd.password-file}
     * @param secret with blanks around it where the server knows such
     * @param wrongSecret one that the server refuses; it has no word in common with a message
     */
    protected SecretFileContract(String coordinator, String fileKey, String secret, String wrongSecret) {
        this.coordinator = coordinator;
        this.fileKey = fileKey;
        this.secret = secret;
        this.wrongSecret = wrongSecret;
    }

    /** Keys of a client that the server lets in with the secret, in the namespace {@code snowflake}; none that names a secret. */
    protected abstract Map<String, String> settings();

    /** Keys of a client that the server refuses for good with the wrong one. */
    protected Map<String, String> refused() {
        return settings();
    }

    /** What is said to it, with the user if there is one. */
    protected abstract String saidOfARefusal();

    /** Keys of a client that says nothing of itself. */
    protected abstract Map<String, String> anonymous();

    /** What is said to that, with the key to set. */
    protected abstract String saidToAnAnonymousClient();

    /** The key that a client whose secret was refused is told to check: the one that names it, unless it is another. */
    protected String toCheck(String key) {
        return key;
    }

    /** Of owners, where the secret is replaced. */
    protected Duration timeToLive() {
        return Node.TIME_TO_LIVE;
    }

    /** Returns when a client that was refused logs in again at its next call. */
    protected void awaitNextLogin() {}

    @AfterEach
    final void requireNoSecretInTheLog() {
        assertThat(log.linesWith(hidden(secret))).isEmpty();
        assertThat(log.linesWith(hidden(wrongSecret))).isEmpty();
    }

    /** Of user:password the user may be seen. */
    private static String hidden(String secret) {
        return secret.substring(secret.indexOf(':') + 1).strip();
    }

    final void assertHidden(String text) {
        assertThat(text).doesNotContain(hidden(secret), hidden(wrongSecret));
    }

    static void assertWarned(LogListener log, String key, Path file) {
        assertThat(log.linesWith(file.toString()))
                .singleElement()
                .asString()
                .startsWith("WARNING snowflake 'orders': " + key + " names the file " + file
                        + ", which every account of this machine may read. Let only this process's account read it"
                        + " (chmod 600; in Kubernetes, defaultMode: 0400).");
    }

    final Node node(Map<String, String> settings, String secretKey, String value) {
        return node(Node.TIME_TO_LIVE, settings, secretKey, value);
    }

    private Node node(Duration timeToLive, Map<String, String> settings, String secretKey, String value) {
        return new Node(coordinator, "snowflake", timeToLive, TlsContract.with(settings, Map.of(secretKey, value)));
    }

    final void assertHidden(CoordinatorException thrown) {
        StringWriter all = new StringWriter();
        thrown.printStackTrace(new PrintWriter(all));
        assertHidden(all.toString());
    }

    final List<String> problems(Map<String, String> more) {
        return Node.problems(coordinator, TlsContract.with(settings(), more)::get);
    }

    final Path file(String content) throws IOException {
        return Files.writeString(directory.resolve("secret"), content);
    }

    @Test
    public final void endOfTheLineInTheFileIsNotOfTheSecret() throws IOException {
        for (String end : List.of("", "\n", "\r\n")) {
            try (Node node = node(settings(), fileKey, file(secret + end).toString())) {
                node.claimExtendAndRelease();
            }
        }
    }

    @Test
    public final void wrongSecretInTheFileIsPermanentAndNotShown() throws IOException {
        String file = file(wrongSecret).toString();

        assertHidden(node(refused(), fileKey, file).refused(true, saidOfARefusal(), toCheck(fileKey)));
    }

    @Test
    public final void secretIsReadAnewFromItsFile() throws IOException {
        String file = file(wrongSecret).toString();
        try (Node node = node(timeToLive(), settings(), fileKey, file)) {
            assertThat(node.answers(Duration.ofSeconds(10))).isFalse();

            file(secret + "\n");

            awaitNextLogin();
            node.awaitAnswer();
        }
    }

    @Test
    public final void clientThatSaysNothingOfItselfIsToldWhatToSet() {
        new Node(coordinator, "snowflake", Node.TIME_TO_LIVE, new HashMap<>(anonymous()))
                .refused(true, saidToAnAnonymousClient());
    }

    @Test
    public final void fileThatIsEmptyOrAbsentIsRefused() throws IOException {
        Path absent = directory.resolve("absent");

        for (String content : List.of("", "\n")) {
            Path file = file(content);
            assertThat(problems(Map.of(fileKey, file.toString())))
                    .singleElement()
                    .asString()
                    .startsWith("snowflake 'orders': " + fileKey + "=" + file + " ");
        }
        assertThat(problems(Map.of(fileKey, absent.toString())))
                .singleElement()
                .asString()
                .startsWith("snowflake 'orders': " + fileKey + "=" + absent + " is not a readable file");
    }

    @Test
    public final void fileThatAllMayReadIsWarnedOf() throws IOException {
        Path kept = Files.writeString(directory.resolve("kept"), secret);
        Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rw-r-----"));
        Path open = Files.writeString(directory.resolve("open"), secret);
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));

        node(settings(), fileKey, kept.toString()).close();
        node(settings(), fileKey, open.toString()).close();

        assertThat(log.linesWith(kept.toString())).isEmpty();
        assertWarned(log, fileKey, open);
    }
}
