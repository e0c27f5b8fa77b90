// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;
import org.snowflakeid.resume.ResumeDirectory;
import org.snowflakeid.resume.ResumeNote;

/**
 * The folder of a host for {@code snowflake.resume.directory}, in a virtual world: it outlives the host's processes. There are no locks,
 * and each look and each change takes time, while other processes go on.
 */
final class SimulatedDisk {

    private final VirtualWorld world;
    private final Map<Integer, NavigableMap<Long, File>> notes = new TreeMap<>();
    private int changes;

    /** Whether nothing can be written. */
    boolean full;

    /** Whether nothing can be created either. */
    boolean dead;

    /** Whether writes wait. */
    boolean stuck;

    /** Whether no operation ends. */
    boolean hangs;

    /** Whether it is tried where it is required, as a folder is. */
    boolean isTried;

    /** Whether a process can open files. */
    Predicate<Machine> hasDescriptors = machine -> true;

    /** One in this many writes fails, before or after the note is complete; 0: none. */
    int failuresOneIn;

    /** How long a write takes at most. */
    long slowestNanos = 2_000_000;

    /** Null: that of the world. Its draws must not change runs without a disk. */
    @Nullable
    Random random;

    int writes;

    /** Sees each note that a machine goes on from. */
    @Nullable
    BiConsumer<Machine, ResumeNote> reader;

    /** Sees each machine whose write succeeded. */
    @Nullable
    Consumer<Machine> written;

    private final List<TakenOver> takenOver = new ArrayList<>();

    /** How often a process continued another one's notes. */
    int takeovers;

    /** How often a process found that another had gone on from its last note. */
    int losses;

    static final class File {
        private String text;
        private final int changed;
        private String seal = "";

        File(String text, int changed) {
            this.text = text;
            this.changed = changed;
        }

        String identity() {
            return "changed-" + changed;
        }
    }

    private record TakenOver(Machine by, ResumeNote note) {
        boolean covers(int workerId, long tick) {
            return note.workerId() == workerId && note.lo() <= tick && tick < note.hi();
        }
    }

    SimulatedDisk(VirtualWorld world) {
        this.world = world;
    }

    ResumeDirectory usedBy(Machine machine) {
        return new ResumeDirectory() {
            @Override
            public void require() {
                while (isTried && hangs) {
                    world.sleep(Duration.ofMillis(100));
                }
                if (isTried && (full || dead)) {
                    throw new InvalidSettingsException(List.of("snowflake.resume.directory can't be written"));
                }
            }

            @Override
            public List<Integer> workerIds() {
                return List.copyOf(notes.keySet());
            }

            @Override
            public Notes notes(int workerId) {
                return new NotesOf(machine, workerId);
            }

            @Override
            public void close() {}
        };
    }

    /** From now on nothing fails. */
    void repair() {
        full = false;
        dead = false;
        stuck = false;
        hangs = false;
        failuresOneIn = 0;
        slowestNanos = 2_000_000;
    }

    boolean isWell() {
        return !(full || dead || stuck || hangs) && failuresOneIn == 0 && slowestNanos <= 20_000_000;
    }

    /** Whether this process may issue this tick because it went on from a note. */
    boolean wasTakenOver(Machine machine, int workerId, long tick) {
        return takenOver.stream().anyMatch(each -> each.by.equals(machine) && each.covers(workerId, tick));
    }

    /** Whether a process went on from a note of this tick, though another has been granted it since, perhaps. */
    boolean wasTakenOver(int workerId, long tick) {
        return takenOver.stream().anyMatch(each -> each.covers(workerId, tick));
    }

    /** Up to where a process may still issue what it was granted, exclusive, if this one went on from its note; else all of it. */
    long leftBy(@Nullable Machine machine, int workerId, long granted) {
        return takenOver.stream()
                .filter(each -> each.by.equals(machine) && each.covers(workerId, granted - 1))
                .mapToLong(each -> each.note.lo())
                .min()
                .orElse(granted);
    }

    /** Whether there is a note that can be taken over. */
    boolean has(int workerId) {
        File highest = highest(workerId);
        return highest != null && !highest.seal.isEmpty();
    }

    ResumeNote note(int workerId) {
        return ResumeNote.parse(highest(workerId).text);
    }

    private @Nullable File highest(int workerId) {
        NavigableMap<Long, File> files = notes.get(workerId);
        return files == null || files.isEmpty() ? null : files.lastEntry().getValue();
    }

    /** Copies all files, to be put back later. */
    Map<Integer, Map<Long, File>> copy() {
        Map<Integer, Map<Long, File>> copy = new HashMap<>();
        notes.forEach((id, files) -> copy.put(id, new TreeMap<>(files)));
        return copy;
    }

    /** Restores a backup of the folder: every file is a new one with the old content. */
    void putBack(Map<Integer, Map<Long, File>> copy) {
        notes.clear();
        copy.forEach((id, files) -> files.forEach((number, file) -> {
            File again = new File(file.text, ++changes);
            again.seal = file.seal;
            notes.computeIfAbsent(id, first -> new TreeMap<>()).put(number, again);
        }));
    }

    /** That of a machine which was started from an image of the other's: the same files, as far as anything in it can tell. */
    void imageOf(SimulatedDisk other) {
        notes.clear();
        other.copy().forEach((id, files) -> notes.put(id, new TreeMap<>(files)));
        changes = other.changes;
    }

    /** Deletes all files. */
    void wipe() {
        notes.clear();
    }

    /** An operator who knows about seals edits the highest note. */
    void edit(int workerId, String from, String to) {
        File file = highest(workerId);
        file.text = file.text.replace(from, to);
    }

    private Random random() {
        return random == null ? world.random() : random;
    }

    private final class NotesOf implements ResumeDirectory.Notes {
        private final Machine machine;
        private final int workerId;

        /** The note that this process read last, to go on from. */
        private @Nullable ResumeNote read;

        private long created;
        private boolean sealed;

        NotesOf(Machine machine, int workerId) {
            this.machine = machine;
            this.workerId = workerId;
        }

        private NavigableMap<Long, File> files() {
            return notes.getOrDefault(workerId, new TreeMap<>());
        }

        /** Takes as long as a system call, unless the process is held up just then. */
        private void look() {
            world.park(1 + random().nextInt(20_000));
            while (hangs) {
                world.sleep(Duration.ofMillis(100));
            }
        }

        private void open() throws IOException {
            if (!hasDescriptors.test(machine)) {
                throw RimFaults.tooManyOpenFiles();
            }
        }

        @Override
        public long highest() {
            look();
            NavigableMap<Long, File> files = files();
            return files.isEmpty() ? 0 : files.lastKey();
        }

        @Override
        public @Nullable String read(long number) throws IOException {
            look();
            open();
            File file = files().get(number);
            if (file == null) {
                return null;
            }
            if (file.text.isEmpty()) {
                throw new ResumeDirectory.VoidException("it says nothing", true);
            }
            if (!file.seal.equals(file.identity())) {
                throw new ResumeDirectory.VoidException("it is a copy", false);
            }
            read = ResumeNote.parse(file.text);
            return file.text;
        }

        @Override
        public @Nullable String identity(long number) {
            look();
            File file = files().get(number);
            noteTakeover(number);
            return file == null ? null : file.identity();
        }

        /** The process looks at its note once more after it created the next one: from here it goes on from that note. */
        private void noteTakeover(long number) {
            ResumeNote note = read;
            if (note == null || created != number + 1) {
                return;
            }
            read = null;
            File file = files().get(number);
            if (file != null && file.seal.equals(file.identity()) && files().lastKey() == created) {
                takenOver.add(new TakenOver(machine, note));
                takeovers++;
                if (reader != null) {
                    reader.accept(machine, note);
                }
            }
        }

        @Override
        public boolean create(long number, String text) throws IOException {
            look();
            open();
            if (!text.isEmpty()) {
                take();
                if (full || mayFail()) {
                    throw new IOException("no space left on device");
                }
                writes++;
            }
            if (dead) {
                throw new IOException("read-only file system");
            }
            NavigableMap<Long, File> files =
                    number == 1 ? notes.computeIfAbsent(workerId, first -> new TreeMap<>()) : notes.get(workerId);
            boolean taken = files == null || files.putIfAbsent(number, new File(text, ++changes)) != null;
            if (taken) {
                losses += sealed ? 1 : 0;
            } else {
                created = number;
            }
            return !taken;
        }

        @Override
        public void seal(long number, String identity) throws IOException {
            // The process may be killed before the seal: then the note does not count.
            look();
            open();
            if (mayFail()) {
                throw new IOException("no space left on device");
            }
            File file = files().get(number);
            if (file != null && file.identity().equals(identity)) {
                file.seal = identity;
                sealed = true;
            }
            take();
            if (mayFail()) {
                throw new IOException("the folder could not be synced");
            }
            if (written != null) {
                written.accept(machine);
            }
        }

        private boolean mayFail() {
            return failuresOneIn > 0 && random().nextInt(failuresOneIn) == 0;
        }

        private void take() {
            do {
                world.park(1 + (long) (random().nextDouble() * slowestNanos));
            } while (stuck);
        }

        @Override
        public void deleteBelow(long number) {
            look();
            files().headMap(number).clear();
        }
    }
}
