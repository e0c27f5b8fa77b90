// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/**
 * A process with a coordinator of its own that does what it is told, one line at a time. Also used within this JVM, through
 * types of the JDK only, by tests with several class loaders.
 */
public final class Peer implements UnaryOperator<String> {

    static final String NAMESPACE = "peers";
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final WorkerCoordinator coordinator;
    private String owner = "none";

    /** @param place directory and time to live, joined by a line feed */
    public Peer(String place) {
        int end = place.indexOf('\n');
        this.coordinator = open(Path.of(place.substring(0, end)), Duration.parse(place.substring(end + 1)));
    }

    static WorkerCoordinator open(Path directory, Duration timeToLive) {
        return open(directory, NAMESPACE, timeToLive);
    }

    static WorkerCoordinator open(Path directory, String namespace, Duration timeToLive) {
        Map<String, String> settings = Map.of(FileCoordinatorProvider.DIRECTORY, directory.toString());
        return new FileCoordinatorProvider()
                .open(new CoordinatorConfig("peer", namespace, timeToLive, settings::get), () -> {});
    }

    @Override
    public String apply(String command) {
        String[] words = command.split(" ", -1);
        int id = words.length < 2 ? 0 : Integer.parseInt(words[1]);
        try {
            return switch (words[0]) {
                case "owner" -> String.valueOf(slot(id).owner());
                case "mark" ->
                    slot(id).mark() == null ? "null" : slot(id).mark().value();
                case "claim" -> {
                    owner = "owner-" + words[2];
                    yield describe(coordinator.claim(id, slot(id).mark(), words[2], owner, false, meta(), TIMEOUT));
                }
                case "extend" -> describe(coordinator.extend(id, slot(id).mark(), words[2], owner, meta(), TIMEOUT));
                case "extend-from" ->
                    describe(coordinator.extend(id, new Stored(words[2], 0), words[3], owner, meta(), TIMEOUT));
                case "long" ->
                    describe(coordinator.extend(
                            id,
                            slot(id).mark(),
                            "long=" + "x".repeat(Integer.parseInt(words[2])),
                            owner,
                            meta(),
                            TIMEOUT));
                case "close" -> {
                    coordinator.close();
                    yield "closed";
                }
                default -> throw new IllegalArgumentException(command);
            };
        } catch (CoordinatorException e) {
            return "failed: " + e;
        }
    }

    private static String describe(CasResult result) {
        if (result instanceof CasResult.Unknown unknown) {
            return "unknown: " + unknown.cause().getMessage();
        }
        return result instanceof CasResult.Applied applied
                ? "applied, owner held: " + applied.ownerHeld()
                : result.getClass().getSimpleName();
    }

    private Slot slot(int id) {
        return coordinator.read(id, id, TIMEOUT).slots().get(0);
    }

    private Stored meta() {
        Stored meta = coordinator.read(0, 0, TIMEOUT).meta();
        if (meta != null) {
            return meta;
        }
        CasResult created = coordinator.writeMeta(null, "meta", TIMEOUT);
        return created instanceof CasResult.Applied applied ? applied.written() : ((CasResult.Rejected) created).meta();
    }

    public static void main(String[] arguments) throws IOException {
        Peer peer = new Peer(arguments[0] + "\n" + arguments[1]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            System.out.println(peer.apply(line));
        }
    }

    /** A peer in a JVM of its own. Ends with this one, whose end closes its input. */
    static final class Remote implements AutoCloseable {
        private final Process process;
        private final BufferedReader out;
        private final BufferedWriter in;

        /** @param before shell words before the command, such as a limit; may be empty */
        Remote(Path directory, Duration timeToLive, String before) throws IOException {
            process = start(before, Peer.class, directory.toString(), timeToLive.toString());
            out = process.inputReader(StandardCharsets.UTF_8);
            in = process.outputWriter(StandardCharsets.UTF_8);
        }

        static Process start(String before, Class<?> main, String... arguments) throws IOException {
            String java =
                    Path.of(System.getProperty("java.home"), "bin", "java").toString();
            String script = before + " exec \"$0\" -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xmx64m -cp \"$1\" "
                    + main.getName() + " \"${@:2}\"";
            ProcessBuilder builder =
                    new ProcessBuilder("bash", "-c", script, java, System.getProperty("java.class.path"));
            builder.command().addAll(List.of(arguments));
            return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        }

        String tell(String command) throws IOException {
            in.write(command + "\n");
            in.flush();
            return out.readLine();
        }

        void signal(String name) throws IOException, InterruptedException {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().orTimeout(60, TimeUnit.SECONDS).join();
        }
    }
}
