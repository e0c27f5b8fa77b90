// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.ResumeDirectory.Entry;
import org.snowflakeid.ResumeDirectory.VoidException;

/** On the disk of this machine. */
class ResumeFolderTest {

    @TempDir
    Path directory;

    private ResumeFolder folder;
    private Path file;

    @BeforeEach
    void open() {
        folder = folder(directory);
        folder.require();
        file = directory.resolve("snowflake/orders/workers/7");
    }

    private static SnowflakeSettings settings(Path directory) {
        return SnowflakeSettings.of(
                Map.of("snowflake.namespace", "snowflake/orders", "snowflake.resume.directory", directory.toString()));
    }

    private static ResumeFolder folder(Path directory) {
        return new ResumeFolder(settings(directory));
    }

    /** What the next process reads. */
    private String readAgain(ResumeFolder next) throws IOException {
        try (Entry entry = next.lock(7)) {
            return entry.read();
        }
    }

    private void write(String... texts) throws IOException {
        try (Entry entry = folder.lock(7)) {
            for (String text : texts) {
                entry.write(text);
            }
        }
    }

    @Test
    void theNextProcessReadsWhatWasWrittenLast() throws IOException {
        assertThat(readAgain(folder)).isNull();
        assertThat(folder.workerIds()).isEmpty();

        write("one\nline\n", "another\n");

        ResumeFolder next = folder(directory);
        next.require();
        assertThat(readAgain(next)).isEqualTo("another\n");
        assertThat(folder.workerIds()).containsExactly(7);
        try (Stream<Path> left = Files.list(file.getParent())) {
            assertThat(left.map(each -> each.getFileName().toString())).containsExactlyInAnyOrder("7", "7.lock");
        }
    }

    @Test
    void theNextProcessReadsNothingOfWhatWasDeleted() throws IOException {
        try (Entry entry = folder.lock(7)) {
            entry.write("text\n");
            entry.delete();
            entry.delete();
            assertThat(entry.read()).isNull();
        }
        assertThat(folder.workerIds()).isEmpty();
    }

    @Test
    void aFileHasOneHolderInThisProcessWhoeverAsks() throws IOException {
        ResumeFolder other = folder(directory);
        other.require();
        try (Entry entry = folder.lock(7)) {
            entry.write("text\n");
            assertThat(folder.lock(7)).isNull();
            assertThat(other.lock(7)).isNull();
            try (Entry another = other.lock(8)) {
                assertThat(another).isNotNull();
            }
            // Asked for twice, it is still locked: closing a second channel would drop the lock.
            assertThat(AnotherProcess.lock(directory)).isEqualTo("held");
        }
        assertThat(AnotherProcess.lock(directory)).isEqualTo("text");
        try (Entry entry = other.lock(7)) {
            assertThat(entry.read()).isEqualTo("text\n");
        }
    }

    /** Tries to lock the file, as a process of its own. */
    static final class AnotherProcess {

        private AnotherProcess() {}

        public static void main(String[] arguments) throws IOException {
            ResumeFolder folder = folder(Path.of(arguments[0]));
            folder.require();
            Entry entry = folder.lock(7);
            System.out.print(entry == null ? "held" : entry.read());
        }

        static String lock(Path directory) throws IOException {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            AnotherProcess.class.getName(),
                            directory.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    @Test
    void aFileOfAnEarlierStartOfTheMachineIsVoidAndNothingIsWrongWithThat() throws IOException {
        write("text\n");
        Path otherStart = Files.writeString(directory.resolve("boot_id"), "00000000-1111-2222-3333-444444444444\n");
        ResumeFolder next = new ResumeFolder(settings(directory), otherStart);
        next.require();

        assertThatThrownBy(() -> readAgain(next))
                .isInstanceOfSatisfying(
                        VoidException.class, e -> assertThat(e.isExpected()).isTrue())
                .hasMessageContaining("was started since");
    }

    private void assertPutBack() {
        assertThatThrownBy(() -> readAgain(folder))
                .isInstanceOfSatisfying(
                        VoidException.class, e -> assertThat(e.isExpected()).isFalse())
                .hasMessageContaining("is a copy or was put back");
    }

    @Test
    void aCopyThatIsMovedInItsPlaceIsVoid() throws IOException {
        write("text\n");
        Path copy = Files.copy(file, directory.resolve("copy"), StandardCopyOption.COPY_ATTRIBUTES);
        write("later\n");
        Files.move(copy, file, StandardCopyOption.REPLACE_EXISTING);

        assertPutBack();
    }

    @Test
    void aCopyThatIsWrittenOverItIsVoidThoughTheFileHasTheNumberThatItHad() throws IOException {
        write("first\n", "second\n", "third\n");
        byte[] copy;
        Object number;
        String writtenLater = "";
        int written = 0;
        do {
            // Numbers of files are used again: every second one has the same, unless somebody else has made a file
            // meanwhile.
            copy = Files.readAllBytes(file);
            number = Files.getAttribute(file, "unix:ino");
            for (int i = 0;
                    i == 0 || (i < 4 && !Files.getAttribute(file, "unix:ino").equals(number));
                    i++) {
                writtenLater = "later " + ++written + "\n";
                write(writtenLater);
            }
            assertThat(written).isLessThan(4_000);
        } while (!Files.getAttribute(file, "unix:ino").equals(number));
        assertThat(readAgain(folder)).isEqualTo(writtenLater);
        Files.write(file, copy);

        assertThat(Files.getAttribute(file, "unix:ino")).isEqualTo(number);
        assertPutBack();
    }

    @Test
    void whoeverReplacesTheLockFileGetsNothing() throws IOException {
        try (Entry running = folder.lock(7)) {
            running.write("text\n");
            Path lock = file.resolveSibling("7.lock");
            Files.move(lock, directory.resolve("old"));

            assertPutBack();

            Files.copy(directory.resolve("old"), file.resolveSibling("7.lock"), StandardCopyOption.REPLACE_EXISTING);
            running.write("later\n");
            assertPutBack();
        }
    }

    @Test
    void aFileThatWasCutOffIsVoid() throws IOException {
        write("a line\n");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - 1);
        }

        assertThatThrownBy(() -> readAgain(folder))
                .isInstanceOf(VoidException.class)
                .hasMessageContaining("is damaged");
    }

    @Test
    void aWriteThatFailsLeavesWhatWasThere() throws IOException {
        try (Entry entry = folder.lock(7)) {
            entry.write("text\n");
            Path inTheWay = Files.createDirectories(file.resolveSibling("7.tmp"));
            Files.createFile(inTheWay.resolve("x"));

            assertThatThrownBy(() -> entry.write("later\n")).isInstanceOf(IOException.class);
            assertThat(entry.read()).isEqualTo("text\n");

            Files.delete(inTheWay.resolve("x"));
            entry.write("later\n");
            assertThat(entry.read()).isEqualTo("later\n");
        }
    }

    // ---- interrupts

    // the lock was gone while the process ran on, and each later write failed
    @Test
    void anInterruptDoesNotLetGoOfTheLock() throws IOException {
        try (Entry entry = folder.lock(7)) {
            entry.write("text\n");
            Thread.currentThread().interrupt();

            Throwable reading = catchThrowable(entry::read);
            Throwable writing = catchThrowable(() -> entry.write("later\n"));

            assertThat(Thread.interrupted()).isTrue();
            assertThat(AnotherProcess.lock(directory)).isEqualTo("held");
            assertThat(reading).isNull();
            assertThat(writing).isNull();
            assertThat(entry.read()).isEqualTo("later\n");
        } finally {
            boolean unused = Thread.interrupted();
        }
    }

    @Test
    void aFileIsDeletedByAThreadThatIsInterrupted() throws IOException {
        try (Entry entry = folder.lock(7)) {
            entry.write("text\n");
            Thread.currentThread().interrupt();

            entry.delete();

            assertThat(Thread.interrupted()).isTrue();
            assertThat(entry.read()).isNull();
        } finally {
            boolean unused = Thread.interrupted();
        }
    }

    // it was said that the folder can't be written, or that only Linux says when the machine was started
    @Test
    void aThreadThatIsInterruptedFindsNothingWrongWithTheFolder() {
        ResumeFolder next = folder(directory);
        Thread.currentThread().interrupt();
        try {
            next.require();

            assertThat(Thread.interrupted()).isTrue();
        } finally {
            boolean unused = Thread.interrupted();
        }
    }

    @Test
    void aLockFileThatIsALinkIsNotLocked() throws IOException {
        Files.createSymbolicLink(file.resolveSibling("7.lock"), Files.createFile(directory.resolve("another")));

        assertThatThrownBy(() -> folder.lock(7)).isInstanceOf(IOException.class);
    }

    // ---- what is refused at the start

    private void assertRefused(ResumeFolder refused, String... words) {
        assertThatThrownBy(refused::require)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("snowflake 'default': snowflake.resume.directory=")
                .hasMessageContainingAll(List.of(words).toArray(CharSequence[]::new));
    }

    @Test
    void aFolderThatIsMissingIsRefused() {
        assertRefused(folder(directory.resolve("missing")), "is no folder", "Create it");
    }

    @Test
    void aFileIsRefused() throws IOException {
        assertRefused(folder(Files.createFile(directory.resolve("file"))), "is no folder");
    }

    @Test
    void aFolderInWhichNothingCanBeWrittenIsRefused() throws IOException {
        // Whoever tests may be root, who may write anywhere.
        Path inTheWay = Files.createDirectories(directory.resolve("other/snowflake"));
        Files.createFile(inTheWay.resolve("orders"));

        assertRefused(folder(directory.resolve("other")), "can't be written", "orders");
    }

    // there is a digest of settings in it, among which may be a password
    @Test
    void nobodyElseMayReadAFile() throws IOException {
        write("some\n");

        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void aMachineThatDoesNotTellWhenItWasStartedIsRefused() {
        assertRefused(new ResumeFolder(settings(directory), directory.resolve("none")), "only Linux says");
    }

    @Test
    void itIsRefusedWithTheStaticCoordinator() {
        Map<String, String> keys = Map.of(
                "snowflake.coordinator", "static",
                "snowflake.static.worker-id", "1",
                "snowflake.resume.directory", "/resume");

        assertThatThrownBy(() -> SnowflakeSettings.of(keys))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining(
                        "snowflake.resume.directory=/resume has no use with snowflake.coordinator=static");
    }
}
