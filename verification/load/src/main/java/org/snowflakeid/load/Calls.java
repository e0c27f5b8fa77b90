// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.load;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.load.LoadReport.Figure;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;

/** How long one claim and one extension take: one after another, over a connection that is there. */
final class Calls {

    static final String CLAIM = "claim median ms";
    static final String EXTENSION = "extension median ms";

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** Above those that generators of this namespace claim. */
    private static final int FIRST_ID = 1_024;

    /** As long as what a generator writes. */
    private static final String MARK =
            "limit=217402605123 token=77a0c1d25b0e4f6a8899aabbccddeeff k=3 from=217402599895 at=2026-11-21T05:36:45.134Z"
                    + " until=2026-11-21T05:37:03.229Z random=5b0e4f6a8899aabb write=";

    private static final String OWNER =
            "token=77a0c1d25b0e4f6a8899aabbccddeeff host=app-17 pid=1 since=2026-11-21T05:36:39.895Z"
                    + " process=9d41c1d25b0e4f6a8899aabbccddeeff id=";

    private final WorkerCoordinator coordinator;
    private final Stored meta;

    private Calls(WorkerCoordinator coordinator, Stored meta) {
        this.coordinator = coordinator;
        this.meta = meta;
    }

    static List<Figure> measure(MeasuredServer server, int times) {
        SnowflakeSettings settings = SnowflakeSettings.of(server.settings());
        LeasedSnowflake.open(settings).close();
        try (ConnectedProvider provider =
                new ConnectedProvider(server.coordinator(), server.settings(), settings.window())) {
            WorkerCoordinator coordinator = provider.coordinator();
            Calls calls = new Calls(
                    coordinator,
                    Objects.requireNonNull(coordinator.read(0, 0, TIMEOUT).meta()));
            // Until client and server have compiled what runs.
            calls.run(FIRST_ID, times);
            long[][] nanos = calls.run(FIRST_ID + times, times);
            return List.of(
                    Figure.of("calls", "%d", times),
                    Figure.of(CLAIM, "%.2f", share(nanos[0], 0.5)),
                    Figure.of("claim 99 % ms", "%.2f", share(nanos[0], 0.99)),
                    Figure.of(EXTENSION, "%.2f", share(nanos[1], 0.5)),
                    Figure.of("extension 99 % ms", "%.2f", share(nanos[1], 0.99)));
        }
    }

    /** What that share of them took at most, in milliseconds. */
    private static double share(long[] nanos, double share) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return sorted[(int) Math.ceil(share * sorted.length) - 1] / 1e6;
    }

    private long[][] run(int firstId, int times) {
        long[] claims = new long[times];
        long[] extensions = new long[times];
        for (int i = 0; i < times; i++) {
            int id = firstId + i;
            long begin = System.nanoTime();
            Stored mark = applied(coordinator.claim(id, null, MARK + 1, OWNER + id, false, meta, TIMEOUT));
            long claimed = System.nanoTime();
            Stored unused = applied(coordinator.extend(id, mark, MARK + 2, OWNER + id, meta, TIMEOUT));
            claims[i] = claimed - begin;
            extensions[i] = System.nanoTime() - claimed;
        }
        return new long[][] {claims, extensions};
    }

    private static Stored applied(CasResult result) {
        if (result instanceof CasResult.Applied applied && applied.ownerHeld()) {
            return applied.written();
        }
        throw new IllegalStateException("not applied: " + result);
    }
}
