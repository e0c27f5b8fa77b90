// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** A coordinator that notes what is sent to it, and of which no outcome is known. */
final class Answers implements WorkerCoordinator, WorkerCoordinatorProvider {

    static final Stored META = new Stored(
            "id=one state=active format=1 epoch=2020-01-01T00:00:00Z worker-id-bits=10 sequence-bits=12 max-window=PT1M"
                    + " floor=0",
            0);

    private final List<String> sent = new ArrayList<>();

    List<String> sent() {
        return List.copyOf(sent);
    }

    private static CasResult unknown() {
        return new CasResult.Unknown(new CoordinatorException("no answer", false));
    }

    @Override
    public String name() {
        return "vectors";
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        return this;
    }

    @Override
    public Snapshot read(int fromId, int toId, Duration timeout) {
        throw new CoordinatorException("no answer", false);
    }

    @Override
    public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
        return unknown();
    }

    @Override
    public CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout) {
        sent.add(next);
        return unknown();
    }

    @Override
    public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        sent.add(next);
        return unknown();
    }

    @Override
    public CasResult release(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        sent.add(next);
        return unknown();
    }

    @Override
    public void abandon(int id, String owner, Duration timeout) {}

    @Override
    public void close() {}
}
