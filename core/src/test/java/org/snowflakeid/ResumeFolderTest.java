// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.config.Settings;
import org.snowflakeid.resume.NoteChain;
import org.snowflakeid.resume.ResumeDirectory.Notes;
import org.snowflakeid.resume.ResumeDirectory.VoidException;
import org.snowflakeid.resume.ResumeFolder;

/** Notes and their chain, on the disk of this machine. */
class ResumeFolderTest {

    @TempDir
    Path directory;

    private ResumeFolder folder;
    private Path notes;

    @BeforeEach
    void open() {
        folder = folder(directory);
        folder.require();
        notes = directory.resolve("snowflake/orders/workers/7.notes");
    }

    private static Settings settings(Path directory) {
        return SnowflakeSettings.of(Map.of(
                        "snowflake.namespace", "snowflake/orders", "snowflake.resume.directory", directory.toString()))
                .values();
    }

    private static ResumeFolder folder(Path directory) {
        return new ResumeFolder(settings(directory));
    }

    private NoteChain chain() throws IOException {
        return new NoteChain(folder.notes(7));
    }

    /** What the next process reads. */
    private String readAgain() throws IOException {
        return chain().read();
    }

    private NoteChain write(String... texts) throws IOException {
        NoteChain chain = chain();
        for (String text : texts) {
            assertThat(chain.add(text)).isTrue();
        }
        return chain;
    }

    private Path highest() throws IOException {
        return notes.resolve(String.format("%018d", folder.notes(7).highest()));
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(notes)) {
            return files.toList();
        }
    }

    // a generator that goes on after a checkpoint was refused does not try the disk again
    @Test
    void aFolderThatWasNotTriedKnowsTheStartOfTheMachine() throws IOException {
        NoteChain unused = write("one\n");
        NoteChain untried = new NoteChain(folder(directory).notes(7));
        assertThat(untried.read()).isEqualTo("one\n");
        assertThat(untried.add("another\n")).isTrue();

        assertThat(readAgain()).isEqualTo("another\n");
    }

    @Test
    void theNextProcessReadsWhatWasWrittenLast() throws IOException {
        assertThat(readAgain()).isNull();
        assertThat(folder.workerIds()).isEmpty();

        NoteChain unused = write("one\nline\n", "another\n");

        folder = folder(directory);
        folder.require();
        assertThat(readAgain()).isEqualTo("another\n");
        assertThat(folder.workerIds()).containsExactly(7);
        assertThat(files()).as("the note and its seal").hasSize(2);
    }

    @Test
    void theNextProcessReadsNothingOfWhatWasEnded() throws IOException {
        NoteChain chain = write("text\n");

        assertThat(chain.end()).isTrue();

        assertThatThrownBy(this::readAgain).isInstanceOfSatisfying(VoidException.class, e -> assertThat(e.isExpected())
                .isTrue());
        assertThat(chain.add("later\n")).isTrue();
        assertThat(readAgain()).isEqualTo("later\n");
    }

    // ---- who goes on

    @Test
    void oneProcessGoesOnFromANoteAndTheOthersHaveLost() throws IOException {
        NoteChain before = write("first\n");
        NoteChain one = chain();
        NoteChain other = chain();
        assertThat(one.read()).isEqualTo("first\n");
        assertThat(other.read()).isEqualTo("first\n");

        assertThat(one.add("second\n")).isTrue();

        assertThat(other.add("third\n")).isFalse();
        assertThat(before.add("fourth\n")).isFalse();
        assertThat(before.end()).isFalse();
        assertThat(readAgain()).isEqualTo("second\n");
        assertThat(one.add("fifth\n")).isTrue();
    }

    @Test
    void ofManyThatGoOnAtOnceOneDoes() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            for (int round = 0; round < 200; round++) {
                NoteChain unused = write("round " + round + "\n");
                List<Callable<Boolean>> all = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    NoteChain chain = chain();
                    all.add(() -> chain.add("next\n") && chain.add("over next\n"));
                }
                int won = 0;
                for (Future<Boolean> each : threads.invokeAll(all)) {
                    won += each.get() ? 1 : 0;
                }
                assertThat(won).isEqualTo(1);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    // notes_noverify: another process used and deleted the number since this one looked
    @Test
    void aProcessThatLookedLongAgoHasLost() throws IOException {
        NoteChain running = write("first\n");
        NoteChain asleep = chain();
        assertThat(running.add("second\n")).isTrue();
        assertThat(running.add("third\n")).isTrue();

        assertThat(asleep.add("late\n")).isFalse();

        assertThat(readAgain()).isEqualTo("third\n");
        assertThat(running.add("fourth\n")).isTrue();
    }

    @Test
    void aProcessThatLookedLongAgoHasLostWhicheverLowerNotesAreDeleted() throws IOException {
        NoteChain running = new NoteChain(new ForwardingNotes(folder.notes(7)) {
            @Override
            public void deleteBelow(long number) {}
        });
        assertThat(running.add("first\n")).isTrue();
        NoteChain asleep = chain();
        assertThat(running.add("second\n")).isTrue();
        Path second = highest();
        assertThat(running.add("third\n")).isTrue();
        Files.delete(second);

        assertThat(asleep.add("late\n")).isFalse();

        assertThat(running.add("fourth\n")).isTrue();
    }

    @Test
    void aProcessThatLookedBeforeTheFolderWasDeletedHasLost() throws IOException {
        NoteChain running = write("first\n");
        NoteChain asleep = chain();
        assertThat(running.add("second\n")).isTrue();
        delete(notes);

        assertThat(asleep.add("late\n")).isFalse();
        // The next claim creates the folder again.
        NoteChain unused = write("claimed\n");

        assertThat(asleep.end()).isFalse();
        assertThat(running.add("third\n")).isFalse();
    }

    @Test
    void aProcessThatLookedBeforeABackupWasPutBackHasLost() throws IOException {
        NoteChain running = write("first\n");
        Path backup = copy(notes, directory.resolve("backup"));
        NoteChain asleep = chain();
        assertThat(running.add("second\n")).isTrue();
        delete(notes);
        Path unused = copy(backup, notes);

        assertThat(asleep.add("late\n")).isFalse();
        assertThat(running.add("third\n")).isFalse();
        assertThatThrownBy(this::readAgain).isInstanceOf(VoidException.class);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static Path copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        return to;
    }

    // ---- what says nothing

    @Test
    void aNoteOfAnEarlierStartOfTheMachineIsVoidAndNothingIsWrongWithThat() throws IOException {
        NoteChain unused = write("text\n");
        Path otherStart = Files.writeString(directory.resolve("boot_id"), "00000000-1111-2222-3333-444444444444\n");
        folder = new ResumeFolder(settings(directory), otherStart);
        folder.require();

        assertThatThrownBy(this::readAgain)
                .isInstanceOfSatisfying(
                        VoidException.class, e -> assertThat(e.isExpected()).isTrue())
                .hasMessageContaining("was started since");
        NoteChain next = write("later\n");
        assertThat(next.add("still later\n")).isTrue();
    }

    private void assertNotUsed() {
        assertThatThrownBy(this::readAgain)
                .isInstanceOfSatisfying(
                        VoidException.class, e -> assertThat(e.isExpected()).isFalse())
                .hasMessageContaining("is a copy, or was put back");
    }

    @Test
    void aCopyThatIsMovedInItsPlaceIsVoid() throws IOException {
        NoteChain unused = write("text\n");
        Path copy = Files.copy(highest(), directory.resolve("copy"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.move(copy, highest(), StandardCopyOption.REPLACE_EXISTING);

        assertNotUsed();
    }

    @Test
    void aCopyThatIsWrittenOverItIsVoidThoughTheFileHasTheNumberThatItHad() throws IOException {
        NoteChain unused = write("text\n");
        Object number = Files.getAttribute(highest(), "unix:ino");
        byte[] copy = Files.readAllBytes(highest());
        Files.write(highest(), copy);

        assertThat(Files.getAttribute(highest(), "unix:ino")).isEqualTo(number);
        assertNotUsed();
    }

    @Test
    void aNoteThatWasNotCompletedIsVoid() throws IOException {
        NoteChain unused = write("a line\n");
        Notes files = folder.notes(7);
        assertThat(files.create(files.highest() + 1, "another line\n")).isTrue();

        assertNotUsed();

        NoteChain later = write("later\n");
        assertThat(later.add("still later\n")).isTrue();
    }

    @Test
    void whatAProcessLeftThatWasKilledInTheMiddleOfAWriteIsInNoOnesWay() throws IOException {
        NoteChain chain = write("a line\n");
        Path halfWritten = Files.writeString(Path.of(highest() + ".123"), "half a li");

        assertThat(readAgain()).isEqualTo("a line\n");
        assertThat(chain.add("later\n")).isTrue();
        assertThat(halfWritten).doesNotExist();
    }

    @Test
    void aNoteThatWasCutOffIsVoid() throws IOException {
        NoteChain unused = write("a line\n");
        try (FileChannel channel = FileChannel.open(highest(), StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - 1);
        }

        assertNotUsed();
    }

    @Test
    void aFileOfAnEarlierVersionIsRecognisedAndNotTakenOver() throws IOException {
        Path earlier = Files.writeString(notes.resolveSibling("7"), "boot=...\n");

        assertThat(folder.workerIds()).containsExactly(7);
        assertThatThrownBy(this::readAgain)
                .isInstanceOf(VoidException.class)
                .hasMessageContaining("written by an earlier version")
                .hasMessageContaining(earlier.toString());
        NoteChain unused = write("later\n");
        assertThat(readAgain()).isEqualTo("later\n");
    }

    // ---- what goes wrong

    @Test
    void aWriteThatFailsLeavesWhatWasThere() throws IOException {
        NoteChain chain = new NoteChain(new ForwardingNotes(folder.notes(7)) {
            @Override
            public boolean create(long number, String text) throws IOException {
                if (text.startsWith("large")) {
                    throw new IOException("no space left on device");
                }
                return super.create(number, text);
            }
        });
        assertThat(chain.add("text\n")).isTrue();

        assertThatThrownBy(() -> chain.add("large\n")).isInstanceOf(IOException.class);

        assertThat(readAgain()).isEqualTo("text\n");
        assertThat(chain.end()).isTrue();
        assertThatThrownBy(this::readAgain).isInstanceOf(VoidException.class);
    }

    @Test
    void aNoteThatMayHaveBeenCompletedIsEndedByTheNext() throws IOException {
        NoteChain chain = new NoteChain(new ForwardingNotes(folder.notes(7)) {
            @Override
            public void seal(long number, String identity) throws IOException {
                super.seal(number, identity);
                throw new IOException("the folder could not be synced");
            }
        });

        assertThatThrownBy(() -> chain.add("text\n")).isInstanceOf(IOException.class);

        assertThat(readAgain()).isEqualTo("text\n");
        assertThat(chain.end()).isTrue();
        assertThatThrownBy(this::readAgain).isInstanceOf(VoidException.class);
    }

    // a note's number was counted twice, and the next number was another process's
    @Test
    void aLookThatFailsIsMadeUpForByTheNext() throws IOException {
        boolean[] fails = new boolean[1];
        NoteChain chain = new NoteChain(new ForwardingNotes(folder.notes(7)) {
            @Override
            public long highest() throws IOException {
                if (fails[0]) {
                    throw new IOException("input/output error");
                }
                return super.highest();
            }
        });
        assertThat(chain.add("text\n")).isTrue();
        NoteChain other = chain();
        fails[0] = true;
        assertThatThrownBy(() -> chain.add("later\n")).isInstanceOf(IOException.class);
        fails[0] = false;

        assertThat(other.add("others\n")).isFalse();
        assertThat(chain.add("still later\n")).isTrue();
        assertThat(readAgain()).isEqualTo("still later\n");
    }

    private abstract static class ForwardingNotes implements Notes {
        private final Notes notes;

        ForwardingNotes(Notes notes) {
            this.notes = notes;
        }

        @Override
        public long highest() throws IOException {
            return notes.highest();
        }

        @Override
        public String read(long number) throws IOException {
            return notes.read(number);
        }

        @Override
        public String identity(long number) throws IOException {
            return notes.identity(number);
        }

        @Override
        public boolean create(long number, String text) throws IOException {
            return notes.create(number, text);
        }

        @Override
        public void seal(long number, String identity) throws IOException {
            notes.seal(number, identity);
        }

        @Override
        public void deleteBelow(long number) {
            notes.deleteBelow(number);
        }
    }

    // each later write failed
    @Test
    void anInterruptedThreadWritesAndReads() throws IOException {
        Thread.currentThread().interrupt();
        try {
            NoteChain chain = write("text\n", "later\n");

            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertThat(readAgain()).isEqualTo("later\n");
            assertThat(chain.end()).isTrue();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    // the message said that the folder can't be written, or that only Linux tells when the machine was started
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
    void aLinkInTheWayIsNotFollowed() throws IOException {
        NoteChain chain = write("text\n");
        Path elsewhere = directory.resolve("elsewhere");
        Files.createSymbolicLink(
                notes.resolve(String.format("%018d", folder.notes(7).highest() + 1)), elsewhere);

        assertThat(chain.add("later\n")).isFalse();
        assertThat(elsewhere).doesNotExist();
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
        // The test may run as root, who may write anywhere.
        Path inTheWay = Files.createDirectories(directory.resolve("other/snowflake"));
        Files.createFile(inTheWay.resolve("orders"));

        assertRefused(folder(directory.resolve("other")), "can't be written", "orders");
    }

    // a note holds a digest of settings, which may include a password
    @Test
    void noOtherUserMayReadANote() throws IOException {
        NoteChain unused = write("some\n");

        assertThat(Files.getPosixFilePermissions(highest())).isEqualTo(PosixFilePermissions.fromString("rw-------"));
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
