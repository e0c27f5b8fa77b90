// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.VirtualWorld.Machine;

/** The folder of a host for {@code snowflake.resume.directory}, in a virtual world: it outlives the host's processes, and their locks don't. */
final class SimulatedDisk {

    private final VirtualWorld world;
    private final Map<Integer, Content> files = new TreeMap<>();
    private final Map<Integer, Held> locks = new HashMap<>();
    private int numbers;

    /** Nothing can be written. */
    boolean full;

    /** Nothing can be deleted, either. */
    boolean dead;

    /** Writes wait. */
    boolean stuck;

    /** One of so many writes fails, before or after the file is replaced; 0: none. */
    int failuresOneIn;

    /** How long a write takes at most. */
    long slowestNanos = 2_000_000;

    /** Null: that of the world. What is drawn here must not change what happens where there is no disk. */
    @Nullable
    Random random;

    int writes;

    /** What somebody else may have begun to use was written to. */
    int writesWithoutLock;

    /** Sees what a process reads that may take over from another. */
    @Nullable
    Consumer<ResumeNote> reader;

    /** Sees whose write has ended well. */
    @Nullable
    Consumer<Machine> written;

    /** What those who read it may have taken over. */
    private final List<Read> read = new ArrayList<>();

    /** How often a process wrote on what another one had begun. */
    int takeovers;

    /**
     * @param number of this file; a copy has another
     * @param writtenAs the number it had when it was written
     */
    private record Content(String text, int number, int writtenAs) {}

    private record Read(Machine by, ResumeNote note) {
        boolean covers(int workerId, long tick) {
            return note.workerId() == workerId && note.lo() <= tick && tick < note.hi();
        }
    }

    SimulatedDisk(VirtualWorld world) {
        this.world = world;
    }

    ResumeDirectory usedBy(Machine machine) {
        return new Folder(machine);
    }

    /** From now on nothing fails. */
    void repair() {
        full = false;
        dead = false;
        stuck = false;
        failuresOneIn = 0;
        slowestNanos = 2_000_000;
    }

    /** Whether this process was told that it may issue this one. */
    boolean wasRead(Machine machine, int workerId, long tick) {
        return read.stream().anyMatch(each -> each.by.equals(machine) && each.covers(workerId, tick));
    }

    boolean has(int workerId) {
        return files.containsKey(workerId);
    }

    ResumeNote note(int workerId) {
        return ResumeNote.parse(files.get(workerId).text());
    }

    /** All of what is there, to be put back later. */
    Map<Integer, String> copy() {
        Map<Integer, String> copy = new TreeMap<>();
        files.forEach((id, content) -> copy.put(id, content.text()));
        return copy;
    }

    /** As somebody does who restores a folder. */
    void putBack(Map<Integer, String> copy) {
        copy.forEach((id, text) -> files.put(id, new Content(text, ++numbers, 0)));
    }

    void edit(int workerId, String from, String to) {
        Content content = files.get(workerId);
        files.put(workerId, new Content(content.text().replace(from, to), content.number(), content.writtenAs()));
    }

    private Random random() {
        return random == null ? world.random() : random;
    }

    private final class Folder implements ResumeDirectory {
        private final Machine machine;

        Folder(Machine machine) {
            this.machine = machine;
        }

        @Override
        public void require() {}

        @Override
        public List<Integer> workerIds() {
            return List.copyOf(files.keySet());
        }

        @Override
        public @Nullable Entry lock(int workerId) {
            Held holder = locks.get(workerId);
            if (holder != null && !holder.closed && !holder.machine.isCrashed()) {
                return null;
            }
            Held held = new Held(machine, workerId);
            locks.put(workerId, held);
            return held;
        }
    }

    private final class Held implements ResumeDirectory.Entry {
        private final Machine machine;
        private final int workerId;
        private boolean closed;
        private boolean first = true;

        Held(Machine machine, int workerId) {
            this.machine = machine;
            this.workerId = workerId;
        }

        @Override
        public @Nullable String read() throws IOException {
            Content content = files.get(workerId);
            if (content != null && content.number() != content.writtenAs()) {
                throw new ResumeDirectory.VoidException("it is a copy", false);
            }
            if (content != null) {
                ResumeNote note = ResumeNote.parse(content.text());
                read.add(new Read(machine, note));
                if (reader != null) {
                    reader.accept(note);
                }
            }
            return content == null ? null : content.text();
        }

        @Override
        public void write(String text) throws IOException {
            take();
            if (full || mayFail()) {
                throw new IOException("no space left on device");
            }
            writes++;
            writesWithoutLock += closed ? 1 : 0;
            Content earlier = files.get(workerId);
            boolean begun = earlier != null
                    && ResumeNote.parse(earlier.text()).mark().token().equals(token(text));
            takeovers += begun && first ? 1 : 0;
            first = false;
            int number = ++numbers;
            files.put(workerId, new Content(text, number, number));
            // The process may be killed here: the file says more than was used.
            take();
            if (mayFail()) {
                throw new IOException("the folder could not be synced");
            }
            if (written != null) {
                written.accept(machine);
            }
        }

        private static String token(String text) {
            return ResumeNote.parse(text).mark().token();
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
        public void delete() throws IOException {
            if (dead) {
                throw new IOException("read-only file system");
            }
            files.remove(workerId);
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
