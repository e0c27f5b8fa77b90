// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What a worker process counts, in a file mapped into memory, so that a SIGKILL loses none of it. */
final class Tally {

    /** What is counted, and how a report calls it. */
    @SuppressWarnings("EnumOrdinal") // Written and read by processes of the same version.
    enum Count {
        CLAIMS("claims"),
        CLAIMS_REFUSED("claims refused, because the worker id was taken meanwhile"),
        CLAIMS_UNKNOWN("claims of unknown outcome"),
        TAKEOVERS("takeovers: claims of a worker id that its holder had not given back"),
        EVICTIONS("of these with the owner entry still there"),
        REOWNS("owner entries claimed again by their holder"),
        EXTENSIONS("extensions"),
        EXTENSIONS_REFUSED("extensions refused"),
        EXTENSIONS_UNKNOWN("extensions of unknown outcome"),
        TAKEOVERS_NOTICED("takeovers noticed by the former holder"),
        RELEASES("releases"),
        FAILED_CALLS("calls of the coordinator that failed and changed nothing"),
        OPENED("generators opened"),
        NOT_OPENED("generators that could not be opened within their time"),
        CLOSED("generators closed"),
        UNAVAILABLE("calls for ids that failed: window used up, closed"),
        CLOCK_BACKWARDS("calls for ids that failed: clock moved backwards"),
        REGRESSED("calls for ids that failed: coordinator regressed");

        final String text;

        Count(String text) {
            this.text = text;
        }

        private int offset() {
            return 8 * ordinal();
        }
    }

    private final MappedByteBuffer counts;

    Tally(Path path) {
        try (FileChannel file =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            counts = file.map(FileChannel.MapMode.READ_WRITE, 0, 8L * Count.values().length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void add(Count count) {
        long unused = (long) Recorder.LONGS.getAndAdd(counts, count.offset(), 1L);
    }

    private long get(Count count) {
        return (long) Recorder.LONGS.getVolatile(counts, count.offset());
    }

    /** All tallies of a directory, added up. */
    static Map<Count, Long> sum(Path directory) {
        Map<Count, Long> sum = new EnumMap<>(Count.class);
        List<Tally> tallies;
        try (Stream<Path> files = Files.list(directory)) {
            tallies = files.filter(file -> file.toString().endsWith(".tally"))
                    .map(Tally::new)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        for (Count count : Count.values()) {
            sum.put(count, tallies.stream().mapToLong(t -> t.get(count)).sum());
        }
        return sum;
    }
}
