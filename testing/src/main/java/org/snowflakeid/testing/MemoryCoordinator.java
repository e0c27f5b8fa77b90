// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.testing.MemoryStore.Namespace;
import org.snowflakeid.testing.MemoryStore.Owner;

/** One process's connection to a {@link MemoryStore}. Its rules are methods of their own, for the tests to break one by one. */
class MemoryCoordinator implements WorkerCoordinator {

    final MemoryStore store;
    final String namespace;
    final Duration timeToLive;

    /** What a claim needs to be applied, however late: void after {@link #abandon}. */
    static final class Lease {
        volatile boolean ended;
    }

    /** By what was or is to be written as the owner. */
    final Map<String, Lease> leases = new ConcurrentHashMap<>();

    MemoryCoordinator(MemoryStore store, CoordinatorConfig config) {
        this.store = store;
        this.namespace = config.namespace();
        this.timeToLive = config.timeToLive();
    }

    @Override
    public Snapshot read(int fromId, int toId, Duration timeout) {
        return store.read(namespace, fromId, toId, timeout);
    }

    @Override
    public CasResult writeMeta(@Nullable Stored expected, String next, Duration timeout) {
        return store.write(namespace, timeout, space -> {
            if (!same(expected, space.meta)) {
                return space.rejected(null);
            }
            space.meta = new Stored(next, 0);
            return new CasResult.Applied(space.meta, false);
        });
    }

    @Override
    public CasResult claim(
            int id, @Nullable Stored mark, String next, String owner, boolean evict, Stored meta, Duration timeout) {
        Lease lease = leases.computeIfAbsent(owner, o -> new Lease());
        return store.write(namespace, timeout, space -> {
            boolean free = evict || space.owners.get(id) == null;
            if (!free || lease.ended || !same(mark, space.marks.get(id)) || !same(meta, space.meta)) {
                return space.rejected(id);
            }
            space.owners.put(id, new Owner(owner, store.expiry(timeToLive)));
            return put(space, id, next, true);
        });
    }

    @Override
    public CasResult extend(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        return store.write(namespace, timeout, space -> {
            if (!same(mark, space.marks.get(id)) || !same(meta, space.meta)) {
                return space.rejected(id);
            }
            return put(space, id, next, renewOwner(space, id, owner));
        });
    }

    @Override
    public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
        if (extensions.isEmpty()) {
            return List.of();
        }
        return store.write(
                namespace,
                timeout,
                space -> {
                    boolean possible = same(meta, space.meta)
                            && extensions.stream().allMatch(each -> same(each.mark(), space.marks.get(each.id())));
                    return extensions.stream()
                            .map(each -> possible
                                    ? put(space, each.id(), each.next(), renewOwner(space, each.id(), each.owner()))
                                    : space.rejected(each.id()))
                            .toList();
                },
                unknown -> Collections.nCopies(extensions.size(), unknown));
    }

    @Override
    public CasResult release(int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
        return store.write(namespace, timeout, space -> {
            if (!same(mark, space.marks.get(id)) || !same(meta, space.meta)) {
                return space.rejected(id);
            }
            removeOwner(space, id, owner);
            return put(space, id, next, false);
        });
    }

    @Override
    public void abandon(int id, String owner, Duration timeout) {
        try {
            store.write(namespace, timeout, space -> {
                removeOwner(space, id, owner);
                return space.rejected(id);
            });
        } catch (CoordinatorException e) {
            // Best effort: the time to live clears what this missed.
        } finally {
            Lease lease = leases.remove(owner);
            if (lease != null) {
                lease.ended = true;
            }
        }
    }

    @Override
    public void close() {}

    boolean same(@Nullable Stored expected, @Nullable Stored actual) {
        return expected == null
                ? actual == null
                : actual != null && expected.value().equals(actual.value());
    }

    boolean isPresent(Namespace space, int id, String owner) {
        Owner present = space.owners.get(id);
        return present != null && present.value().equals(owner);
    }

    boolean renewOwner(Namespace space, int id, String owner) {
        boolean held = isPresent(space, id, owner);
        if (held) {
            space.owners.put(id, new Owner(owner, store.expiry(timeToLive)));
        }
        return held;
    }

    void removeOwner(Namespace space, int id, String owner) {
        if (isPresent(space, id, owner)) {
            space.owners.remove(id);
        }
    }

    CasResult put(Namespace space, int id, String next, boolean ownerHeld) {
        Stored written = new Stored(next, 0);
        space.marks.put(id, written);
        return new CasResult.Applied(written, ownerHeld, store.serverTime());
    }
}
