// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a recording of JFR has of a generator, and a JDK without JFR. */
class FlightRecordingTest {

    private static final String NAME = SnowflakeSettings.DEFAULT_GENERATOR;

    @TempDir
    Path directory;

    private final VirtualWorld world = new VirtualWorld(1);
    private final FakeStore store = new FakeStore(world);

    private LeasedSnowflake open() {
        return LeasedSnowflake.open(
                SnowflakeSettings.of(Map.of("snowflake.worker-ids", "0-1")), store, world.new Machine());
    }

    private void seconds(long seconds) {
        world.sleep(Duration.ofSeconds(seconds));
    }

    private List<RecordedEvent> events(Recording recording) throws IOException {
        recording.stop();
        Path file = directory.resolve("recording.jfr");
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("org.snowflakeid."))
                .toList();
    }

    private static List<String> names(List<RecordedEvent> events) {
        return events.stream()
                .map(event -> event.getEventType().getName().replace("org.snowflakeid.", ""))
                .distinct()
                .toList();
    }

    @Test
    void hasAnOutageThoughNoListenerIsThere() throws IOException {
        try (Recording recording = new Recording()) {
            recording.start();
            int id = open().status().workerId().orElseThrow();
            seconds(60);
            store.down = true;
            seconds(120);
            store.down = false;
            seconds(60);

            List<RecordedEvent> events = events(recording);
            assertThat(names(events)).contains("ExtensionFailed", "Suspended", "Resumed");
            assertThat(events).allSatisfy(event -> {
                assertThat(event.getString("generator")).isEqualTo(NAME);
                assertThat(event.getStackTrace()).isNull();
            });
            assertThat(events.get(0).getEventType().getName()).endsWith("ExtensionFailed");
            assertThat(events.get(0).getString("reason")).isNotBlank();
            assertThat(events)
                    .filteredOn(event -> event.getEventType().getName().endsWith("Suspended"))
                    .singleElement()
                    .satisfies(event -> {
                        assertThat(event.getInt("workerId")).isEqualTo(id);
                        assertThat(event.getString("reason")).contains("Last error from fake");
                    });
        }
    }

    @Test
    void hasAChangeOfTheWorkerId() throws IOException {
        try (Recording recording = new Recording()) {
            recording.start();
            int id = open().status().workerId().orElseThrow();
            seconds(60);
            store.owners.clear();
            store.hintLoss();
            seconds(60);

            assertThat(events(recording)).singleElement().satisfies(event -> {
                assertThat(event.getEventType().getName()).isEqualTo("org.snowflakeid.Swapped");
                assertThat(event.getInt("previousWorkerId")).isEqualTo(id);
                assertThat(event.getInt("workerId")).isEqualTo(id);
            });
        }
    }

    @Test
    void aRecordingThatBeginsLaterHasWhatHappensThen() throws IOException {
        LeasedSnowflake ids = open();
        seconds(60);
        store.owners.clear();
        store.hintLoss();
        seconds(60);
        try (Recording recording = new Recording()) {
            recording.start();
            store.owners.clear();
            store.hintLoss();
            seconds(60);

            assertThat(names(events(recording))).containsExactly("Swapped");
        }
        assertThat(ids.nextId()).isPositive();
    }

    /** An outage in a process of its own. */
    static final class Outage {
        private Outage() {}

        public static void main(String[] arguments) {
            VirtualWorld world = new VirtualWorld(1);
            FakeStore store = new FakeStore(world);
            LeasedSnowflake ids = LeasedSnowflake.open(
                    SnowflakeSettings.of(Map.of("snowflake.worker-ids", "0-1")), store, world.new Machine());
            store.down = true;
            world.sleep(Duration.ofMinutes(2));
            store.down = false;
            world.sleep(Duration.ofMinutes(1));
            System.out.println(
                    "id " + ids.nextId() + " in state " + ids.status().state());
        }
    }

    /** The same in the JDK without JFR. */
    static final class SmallJdk {
        private SmallJdk() {}

        public static void main(String[] arguments) throws ReflectiveOperationException {
            try {
                throw new AssertionError(Class.forName("jdk.jfr.Event") + " is there");
            } catch (ClassNotFoundException expected) {
                Outage.main(arguments);
            }
        }
    }

    private static String run(Class<?> main, String... options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(output).containsPattern("id \\d+ in state ACTIVE");
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    @Test
    void idsNeedNoJfr() throws Exception {
        assertThat(run(SmallJdk.class, "--limit-modules", "java.logging")).doesNotContain("jdk/jfr");
    }

    @Test
    void aProcessWithoutARecordingDoesNotStartJfr() throws Exception {
        assertThat(run(Outage.class, "-verbose:class"))
                .contains("org.snowflakeid.keeper.FlightRecording ")
                .doesNotContain("org.snowflakeid.keeper.FlightEvents")
                .doesNotContain("jdk.jfr.internal.MetadataRepository");
    }
}
