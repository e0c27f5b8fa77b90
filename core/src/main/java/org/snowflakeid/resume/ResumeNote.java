// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.resume;

import java.util.List;
import org.snowflakeid.records.Mark;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.records.RecordLine;
import org.snowflakeid.spi.Stored;

/**
 * What a process notes for one that takes over from it: this host may still issue the ticks from {@code lo} to the limit of {@code mark},
 * exclusive, under this worker id; nothing at or above {@code lo} was issued.
 *
 * @param origin names the coordinator and where it is
 * @param mark as it is in the coordinator, for all that its holder knows: to compare with, and to extend by
 * @param meta the record of the namespace under which that was granted
 */
public record ResumeNote(int workerId, String origin, long lo, Mark mark, NamespaceRecord meta) {

    private static final String FORMAT = "2";

    /** @throws IllegalArgumentException if the text was not written by this library, or by a newer one with another format */
    public static ResumeNote parse(String text) {
        List<String> lines = text.lines().toList();
        if (lines.size() != 3) {
            throw new IllegalArgumentException("expected 3 lines, found " + lines.size());
        }
        RecordLine pairs = RecordLine.parse(lines.get(0));
        if (!pairs.text("format").equals(FORMAT)) {
            throw new IllegalArgumentException("format " + pairs.text("format") + " is not " + FORMAT);
        }
        Mark mark = Mark.parse(new Stored(lines.get(1), 0));
        NamespaceRecord meta = NamespaceRecord.parse(new Stored(lines.get(2), 0));
        long lo = pairs.number("lo");
        if (lo < mark.from() || lo > mark.limit() || pairs.number("hi") != mark.limit()) {
            throw new IllegalArgumentException("lo=" + lo + " hi=" + pairs.text("hi") + " contradict the mark");
        }
        return new ResumeNote(Math.toIntExact(pairs.number("worker-id")), pairs.text("place"), lo, mark, meta);
    }

    ResumeNote with(long newLo) {
        return new ResumeNote(workerId, origin, newLo, mark, meta);
    }

    /** After a write of the mark was applied. */
    ResumeNote with(Mark newMark, NamespaceRecord newMeta) {
        return new ResumeNote(workerId, origin, lo, newMark, newMeta);
    }

    /** Exclusive. */
    public long hi() {
        return mark.limit();
    }

    String text() {
        return RecordLine.NONE
                        .with("format", FORMAT)
                        .with("worker-id", workerId)
                        .with("lo", lo)
                        .with("hi", hi())
                        .with("until", meta.layout().instantOf(hi()))
                        .with("place", origin)
                + "\n" + mark.value() + "\n" + meta.stored().value() + "\n";
    }
}
