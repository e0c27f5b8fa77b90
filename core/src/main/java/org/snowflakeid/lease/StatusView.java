// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.snowflakeid.SnowflakeStatus;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.config.Settings;

/** What a generator is doing, put together for people and health checks from what its callers and its keeper share. */
public final class StatusView {

    private final Settings settings;
    private final String coordinatorName;
    private final VettedClock clock;
    private final SharedState shared;
    private final Positions positions;
    private final Availability availability;

    public StatusView(Settings settings, String coordinatorName, VettedClock clock, SharedState shared) {
        this.settings = settings;
        this.coordinatorName = coordinatorName;
        this.clock = clock;
        this.shared = shared;
        this.positions = Positions.of(settings.layout());
        this.availability = new Availability(positions, Rollback.of(settings));
    }

    /** Active as long as one of the worker ids is. */
    public SnowflakeStatus ofAll() {
        List<SnowflakeStatus> all = new ArrayList<>();
        shared.leases().forEach(inUse -> all.add(of(inUse)));
        SnowflakeStatus first = all.get(0);
        if (all.size() == 1) {
            return first;
        }
        return new SnowflakeStatus(
                first.generator(),
                all.stream()
                        .map(SnowflakeStatus::state)
                        .filter(state -> state == State.ACTIVE)
                        .findFirst()
                        .orElse(first.state()),
                all.stream().flatMap(each -> each.workerIds().stream()).toList(),
                first.namespace(),
                first.coordinator(),
                all.stream().flatMap(each -> each.reservedUntil().stream()).max(Comparator.naturalOrder()),
                all.stream()
                        .map(SnowflakeStatus::drift)
                        .max(Comparator.naturalOrder())
                        .orElseThrow(),
                all.stream().anyMatch(SnowflakeStatus::ready),
                reasons(all),
                firstOf(all, SnowflakeStatus::clockWarning));
    }

    /** Each worker id has its own reason, and a call may meet any of them. */
    private static Optional<String> reasons(List<SnowflakeStatus> all) {
        return all.stream()
                .flatMap(each -> each.lastError().stream())
                .distinct()
                .reduce((one, other) -> one + " " + other);
    }

    private static Optional<String> firstOf(
            List<SnowflakeStatus> all, Function<SnowflakeStatus, Optional<String>> part) {
        return all.stream().flatMap(each -> part.apply(each).stream()).findFirst();
    }

    /** Of one of the generator's worker ids. */
    public SnowflakeStatus of(CurrentLease inUse) {
        Lease lease = inUse.get();
        long last = lease.position();
        boolean issuing = last != Lease.SEALED;
        // Read before the limit: a longer window with the old limit would look nearly used up.
        long windowTicks = lease.windowTicks();
        long now = clock.credibleTick();
        long reserved = positions.tick(lease.granted());
        long ticksLeft = reserved - now;
        long high = shared.highTick().get();
        long drift = issuing ? Math.max(positions.tick(last), high) - now : 0;
        boolean clockBehind = issuing && availability.failsBehind(lease, last, high, now);
        // With the clock back where it should be no call waits, even before the keeper has looked.
        long shown = clock.tick();
        Optional<String> suspension = clock.isCredible(shown)
                ? shared.troubles().standingAt(shown)
                : shared.troubles().suspension();
        State state;
        if (shared.isClosed()) {
            state = State.CLOSED;
        } else if (!shared.isStarted()) {
            state = State.STARTING;
        } else if (!issuing || availability.isUsedUp(lease, last, high, now) || clockBehind || suspension.isPresent()) {
            state = State.SUSPENDED;
        } else {
            state = State.ACTIVE;
        }
        return new SnowflakeStatus(
                settings.generator(),
                state,
                issuing ? List.of(lease.workerId) : List.of(),
                settings.namespace(),
                coordinatorName,
                issuing ? Optional.of(settings.layout().instantOf(reserved)) : Optional.empty(),
                Duration.ofMillis(Math.max(0, drift)),
                state == State.ACTIVE && ticksLeft > ticksNotReady(windowTicks),
                clockBehind
                        ? Optional.of("The clock is " + drift + " ms behind the last id.")
                        : suspension.or(shared::lastError),
                shared.troubles().clockWarning().or(this::unvettedStep));
    }

    /** Whether calls fail because the clock is behind the last id of every worker id, or stands still. */
    public boolean isClockBehind() {
        long now = clock.credibleTick();
        if (shared.troubles().standingAt(clock.tick()).isPresent()) {
            return true;
        }
        return shared.leases().stream().map(CurrentLease::get).allMatch(lease -> {
            long last = lease.position();
            return last == Lease.SEALED
                    || availability.failsBehind(lease, last, shared.highTick().get(), now);
        });
    }

    private long ticksNotReady(long windowTicks) {
        return switch (settings.readyUntil()) {
            case THIRD_LEFT -> windowTicks / 3;
            case WINDOW_END -> 0;
        };
    }

    /** A step that the keeper has not looked at yet, since it waits for the coordinator, or since no id was asked for. */
    private Optional<String> unvettedStep() {
        return clock.isCredible(clock.tick())
                ? Optional.empty()
                : Optional.of("The system clock stepped, to " + Instant.ofEpochMilli(clock.millis())
                        + ", and has not been vetted yet.");
    }
}
