// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.chaos.Tally.Count;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.ForwardingCoordinator;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** A coordinator of which is counted what it answers. */
final class CountingProvider implements WorkerCoordinatorProvider {
    private static final Pattern TOKEN = Pattern.compile("(?:^| )token=(\\S+)");

    private final WorkerCoordinatorProvider provider;
    private final Tally tally;

    CountingProvider(WorkerCoordinatorProvider provider, Tally tally) {
        this.provider = provider;
        this.tally = tally;
    }

    @Override
    public String name() {
        return provider.name();
    }

    @Override
    public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
        return new Counting(provider.open(config, lossHint), tally);
    }

    private static String token(@Nullable Stored mark) {
        Matcher matcher = TOKEN.matcher(mark == null ? "" : mark.value());
        return matcher.find() ? matcher.group(1) : "";
    }

    private static final class Counting extends ForwardingCoordinator {
        private final Tally tally;
        private final Map<Integer, String> owners = new HashMap<>();

        Counting(WorkerCoordinator coordinator, Tally tally) {
            super(coordinator);
            this.tally = tally;
        }

        @Override
        protected <T> T call(Supplier<T> operation) {
            try {
                return super.call(operation);
            } catch (CoordinatorException e) {
                tally.add(Count.FAILED_CALLS);
                throw e;
            }
        }

        @Override
        public CasResult claim(
                int id,
                @Nullable Stored mark,
                String next,
                String owner,
                boolean evict,
                Stored meta,
                Duration timeout) {
            boolean again = owner.equals(owners.get(id));
            CasResult result = super.claim(id, mark, next, owner, evict, meta, timeout);
            if (result instanceof CasResult.Applied) {
                tally.add(again ? Count.REOWNS : Count.CLAIMS);
                owners.put(id, owner);
                if (!again && mark != null && !token(mark).startsWith("free-")) {
                    tally.add(Count.TAKEOVERS);
                    if (evict) {
                        tally.add(Count.EVICTIONS);
                    }
                }
            } else if (result instanceof CasResult.Rejected rejected) {
                tally.add(Count.CLAIMS_REFUSED);
                if (again) {
                    noteForeign(rejected, mark, next);
                }
            } else {
                tally.add(Count.CLAIMS_UNKNOWN);
            }
            return result;
        }

        private void noteForeign(CasResult.Rejected rejected, @Nullable Stored mark, String next) {
            String seen = rejected.seen() == null ? "" : token(rejected.seen().mark());
            if (!seen.isEmpty() && !seen.equals(token(mark)) && !next.contains(seen)) {
                tally.add(Count.TAKEOVERS_NOTICED);
            }
        }

        @Override
        public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            CasResult result = super.extend(id, mark, next, owner, meta, timeout);
            if (result instanceof CasResult.Applied) {
                tally.add(Count.EXTENSIONS);
            } else if (result instanceof CasResult.Rejected rejected) {
                tally.add(Count.EXTENSIONS_REFUSED);
                noteForeign(rejected, mark, next);
            } else {
                tally.add(Count.EXTENSIONS_UNKNOWN);
            }
            return result;
        }

        @Override
        public CasResult release(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
            CasResult result = super.release(id, mark, next, owner, meta, timeout);
            if (result instanceof CasResult.Applied) {
                tally.add(Count.RELEASES);
            }
            return result;
        }
    }
}
