// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Deadline;
import org.snowflakeid.spi.Stored;

/** Changes in one transaction, which is made only if what is there is as expected: see {@link ZooKeeperCoordinator}. */
record GuardedWrite(NamespaceTree tree, NamespaceReader reader, Session writer, Deadline deadline) {
    private static final int ATTEMPTS = 4;

    /** A mark, or the namespace record, to be replaced. */
    record Change(@Nullable Stored expected, String next) {}

    /** What to write, going by what was seen, which was as expected. */
    interface Plan {
        /** The first operations write the values, in the order of the changes. Null: not under these circumstances. */
        @Nullable
        List<Op> operations(NamespaceReader.Look seen);
    }

    /** @param ids of the marks to be changed; empty for a write of the namespace record */
    List<CasResult> make(List<Integer> ids, @Nullable Stored meta, List<Change> changes, Plan plan)
            throws ZooKeeperFailure {
        boolean agreed = false;
        for (int attempt = 1; ; attempt++) {
            NamespaceReader.Look seen = reader.look(writer, ids, deadline);
            List<Op> operations = isAsExpected(seen, meta, changes) ? plan.operations(seen) : null;
            if ((operations == null && agreed) || attempt == ATTEMPTS) {
                return rejected(seen);
            }
            if (operations == null) {
                reader.agree(writer, deadline);
            } else {
                List<OpResult> results = writer.send(operations, deadline);
                switch (Session.outcome(results)) {
                    case OK -> {
                        return applied(changes, results);
                    }
                    case NONODE -> tree.create(writer, deadline);
                    case BADVERSION, NODEEXISTS -> {
                        // The next look shows why.
                    }
                    default -> throw writer.failure(Session.outcome(results));
                }
            }
            agreed = true;
        }
    }

    private static boolean isAsExpected(NamespaceReader.Look seen, @Nullable Stored meta, List<Change> changes) {
        boolean asExpected = Objects.equals(meta, seen.meta());
        for (int i = 0; i < seen.slots().size(); i++) {
            asExpected &= Objects.equals(
                    changes.get(i).expected(), seen.slots().get(i).slot().mark());
        }
        return asExpected;
    }

    private static List<CasResult> rejected(NamespaceReader.Look seen) {
        return seen.slots().isEmpty()
                ? List.of(new CasResult.Rejected(seen.meta(), null))
                : seen.slots().stream()
                        .<CasResult>map(slot -> new CasResult.Rejected(seen.meta(), slot.slot()))
                        .toList();
    }

    private static List<CasResult> applied(List<Change> changes, List<OpResult> results) {
        List<CasResult> applied = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            // The leader stamps what it writes with its clock.
            Stat written = results.get(i) instanceof OpResult.SetDataResult set ? set.getStat() : null;
            applied.add(new CasResult.Applied(
                    new Stored(changes.get(i).next(), written == null ? 0 : written.getVersion()),
                    false,
                    written == null ? null : Instant.ofEpochMilli(written.getMtime())));
        }
        return applied;
    }
}
