// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * A generator whose worker id is leased from a coordinator. Close it to give the worker id back at once; a process that ends
 * without closing keeps it until its window is over.
 *
 * <p>With {@code snowflake.workers} above 1 it leases as many worker ids, and issues as many times the ids of one: then the ids of each
 * thread increase strictly, those of different threads to the millisecond.
 */
public final class LeasedSnowflake implements Snowflake, AutoCloseable {

    private static final int MAX_BATCH = 1_000_000;

    private final SnowflakeSettings settings;
    private final List<Stripe> stripes;

    /** The only one, or one of several: then {@link #striping} chooses. */
    private final Stripe first;

    private final @Nullable Striping striping;

    /**
     * Claims a worker id through the coordinator that {@code snowflake.coordinator} names, or the only one on the class path.
     * Blocks until there is one, at most {@code snowflake.startup-timeout}.
     *
     * @throws InvalidSettingsException if a setting is wrong or no single coordinator can be chosen
     * @throws NoFreeWorkerIdException if all worker ids stay taken
     * @throws LayoutMismatchException if the namespace has another layout
     * @throws CoordinatorException if the coordinator can't be used
     * @throws SnowflakeUnavailableException if the calling thread is interrupted (its flag stays set)
     */
    public static LeasedSnowflake open(SnowflakeSettings settings) {
        return open(settings, contextLoader());
    }

    /** As {@link #open(SnowflakeSettings)}, looking for coordinators with a given class loader. */
    public static LeasedSnowflake open(SnowflakeSettings settings, ClassLoader loader) {
        return open(settings, Coordinators.select(settings, loader), Platform.system());
    }

    /**
     * As {@link #open(SnowflakeSettings)}, telling {@code listener} what happens to the generator. It is called on a thread with
     * the context class loader of the caller of this method.
     */
    public static LeasedSnowflake open(SnowflakeSettings settings, Consumer<? super SnowflakeEvent> listener) {
        return open(settings, Coordinators.select(settings, contextLoader()), Platform.system(), listener);
    }

    /** As {@link #open(SnowflakeSettings)}, with a given coordinator, clock and threads. */
    public static LeasedSnowflake open(
            SnowflakeSettings settings, WorkerCoordinatorProvider provider, Platform platform) {
        return new LeasedSnowflake(settings, provider, platform, null);
    }

    /** As {@link #open(SnowflakeSettings, Consumer)}, with a given coordinator, clock and threads. */
    public static LeasedSnowflake open(
            SnowflakeSettings settings,
            WorkerCoordinatorProvider provider,
            Platform platform,
            Consumer<? super SnowflakeEvent> listener) {
        return new LeasedSnowflake(settings, provider, platform, listener);
    }

    private static ClassLoader contextLoader() {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return loader != null ? loader : LeasedSnowflake.class.getClassLoader();
    }

    private LeasedSnowflake(
            SnowflakeSettings settings,
            WorkerCoordinatorProvider provider,
            Platform platform,
            @Nullable Consumer<? super SnowflakeEvent> listener) {
        this.settings = settings;
        this.stripes = Stream.generate(() -> new Stripe(settings, provider, platform, listener))
                .limit(settings.workers())
                .toList();
        this.first = stripes.get(0);
        this.striping = stripes.size() == 1 ? null : new Striping(stripes);
        stripes.forEach(Stripe::start);
        try {
            stripes.forEach(Stripe::awaitStart);
        } catch (SnowflakeException e) {
            close();
            throw e;
        }
    }

    @Override
    public long nextId() {
        if (striping != null) {
            return striping.nextId();
        }
        long id = first.tryNextId();
        return id != Stripe.NONE ? id : first.issue(null, 1, 0);
    }

    @Override
    public long[] nextIds(int count) {
        if (count < 1 || count > MAX_BATCH) {
            throw new IllegalArgumentException(
                    "snowflake '" + settings.generator() + "': count " + count + " is not between 1 and " + MAX_BATCH);
        }
        long[] ids = new long[count];
        long last = striping != null ? striping.nextIds(ids) : first.issue(ids, count, 0);
        assert last == ids[count - 1];
        return ids;
    }

    @Override
    public SnowflakeLayout layout() {
        return settings.layout();
    }

    @Override
    public SnowflakeStatus status() {
        return striping != null ? striping.status() : first.status();
    }

    /**
     * Stops issuing and gives the worker id back, so that the next process can have it at once. Waits for that, a few seconds
     * at most; safe to call again. Calls that wait for an id fail.
     */
    @Override
    public void close() {
        stripes.forEach(Stripe::beginClose);
        stripes.forEach(Stripe::awaitClose);
    }
}
