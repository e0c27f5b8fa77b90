// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.io.FileOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/**
 * Claims, extends and releases without end, until it is killed. A mark counts the writes of its slot, {@code n=<count>}; each
 * write that was applied is then noted in this process's own journal.
 */
final class Hammer {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Stored META = new Stored("meta", 0);

    private final WorkerCoordinator coordinator;
    private final FileOutputStream journal;
    private final String token;

    private Hammer(Path directory, Path journal, String token) throws Exception {
        this.coordinator = Peer.open(directory, Duration.ofMinutes(10));
        this.journal = new FileOutputStream(journal.toFile());
        this.token = token;
    }

    public static void main(String[] arguments) throws Exception {
        String token = Long.toString(ProcessHandle.current().pid());
        Hammer hammer = new Hammer(Path.of(arguments[0]), Path.of(arguments[1], token), token);
        hammer.coordinator.writeMeta(null, META.value(), TIMEOUT);
        Random random = new Random();
        while (true) {
            hammer.hold(random.nextInt(3), random.nextInt(6));
        }
    }

    static long count(Stored mark) {
        return Long.parseLong(mark.value().substring(2, mark.value().indexOf(' ')));
    }

    private void hold(int id, int extensions) throws Exception {
        Slot slot = coordinator.read(id, id, TIMEOUT).slots().get(0);
        Stored mark = slot.mark();
        if (slot.owner() != null) {
            return;
        }
        CasResult claimed = coordinator.claim(id, mark, next(mark), token, false, META, TIMEOUT);
        if (!(claimed instanceof CasResult.Applied applied)) {
            return;
        }
        mark = note(id, applied, true);
        for (int i = 0; i < extensions; i++) {
            mark = note(id, coordinator.extend(id, mark, next(mark), token, META, TIMEOUT), true);
        }
        CasResult released = coordinator.release(id, mark, next(mark), token, META, TIMEOUT);
        if (!(released instanceof CasResult.Unknown) || !isReplaced(id, mark)) {
            note(id, released, false);
        } else {
            // Another process claimed it before this one looked what became of its release.
            write(id + " " + (count(mark) + 1));
        }
    }

    /** None but its holder can do so. */
    private boolean isReplaced(int id, Stored held) {
        Stored seen = coordinator.read(id, id, TIMEOUT).slots().get(0).mark();
        return seen != null && count(seen) > count(held);
    }

    private String next(Stored mark) {
        return "n=" + (mark == null ? 1 : count(mark) + 1) + " token=" + token;
    }

    /** A holder that lives and is in time is never refused. */
    private Stored note(int id, CasResult result, boolean owned) throws Exception {
        if (!(result instanceof CasResult.Applied applied) || applied.ownerHeld() != owned) {
            write("violation " + id + " " + result);
            throw new CoordinatorException("violation: " + result, true);
        }
        write(id + " " + count(applied.written()));
        return applied.written();
    }

    private void write(String line) throws Exception {
        journal.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
