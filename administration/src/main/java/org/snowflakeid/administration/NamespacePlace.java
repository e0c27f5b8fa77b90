// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.administration;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.Platform;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.administration.NamespaceRefusedException.Reason;
import org.snowflakeid.config.LayoutAdvice;
import org.snowflakeid.config.Quoted;
import org.snowflakeid.config.Settings;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.records.RandomToken;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** A namespace at its coordinator, as an operator handles it: looked at as a whole, its record replaced by one compare-and-set. */
public final class NamespacePlace {

    /** An operator would rather wait than guess, and 2^20 worker ids take a while. */
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);

    private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(5);

    private static final int WRITE_ATTEMPTS = 6;

    private static final long PAUSE_NANOS = 500_000_000L;

    /** A coordinator's time is right to about a second. */
    private static final long CLOCK_READING_MILLIS = 1_000;

    private final Settings settings;
    private final Platform platform;
    private final String coordinatorName;
    private final WorkerCoordinator coordinator;

    public NamespacePlace(Settings settings, WorkerCoordinatorProvider provider, Platform platform) {
        this.settings = settings;
        this.platform = platform;
        this.coordinatorName = provider.name();
        this.coordinator = provider.open(settings.coordinatorConfig(), () -> {});
    }

    Settings settings() {
        return settings;
    }

    String coordinatorName() {
        return coordinatorName;
    }

    /** Known once something was read. */
    String location() {
        return coordinator.location();
    }

    /** For messages. */
    String described() {
        return "namespace '" + settings.namespace() + "' at " + coordinatorName;
    }

    /** For the record of a namespace that moves here. It says where to look; several places may be called the same. */
    String address() {
        return coordinatorName + ":" + settings.namespace();
    }

    String freshId() {
        return RandomToken.random(platform);
    }

    void close() {
        coordinator.close();
    }

    /** @throws CoordinatorException if it can't be read */
    NamespaceView view() {
        int lastWorkerId = settings.layout().maxWorkerId();
        while (true) {
            long askedMillis = platform.wallMillis();
            Snapshot seen = read(lastWorkerId);
            NamespaceRecord meta = null;
            String unreadable = "";
            try {
                meta = seen.meta() == null ? null : NamespaceRecord.parse(seen.meta());
            } catch (IllegalArgumentException e) {
                unreadable = String.valueOf(e.getMessage());
            }
            SnowflakeLayout layout = meta == null ? settings.layout() : meta.layout();
            if (layout.maxWorkerId() == lastWorkerId) {
                return new NamespaceView(
                        seen.meta(),
                        meta,
                        unreadable,
                        layout,
                        seen.slots(),
                        seen.serverTime(),
                        askedMillis,
                        platform.wallMillis());
            }
            lastWorkerId = layout.maxWorkerId();
        }
    }

    private Snapshot read(int lastWorkerId) {
        try {
            return coordinator.read(0, lastWorkerId, READ_TIMEOUT);
        } catch (SnowflakeException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            throw unexpected(e);
        }
    }

    /** A mistake in a coordinator, or in a library of its server, or no memory. It says nothing of what was written before. */
    private CoordinatorException unexpected(Throwable e) {
        return new CoordinatorException(described() + ": a call ended with " + e, e, false);
    }

    /**
     * Replaces exactly {@code expected}. An unknown outcome is settled by sending the same bytes again: whatever else may send
     * them wants the very same, so that a rejection which shows them means that they were applied.
     *
     * @return unknown if it stays so, also where a call ends with an exception that leaves it open
     * @throws SnowflakeException if certainly nothing was written
     */
    CasResult write(@Nullable Stored expected, String next) {
        CasResult.Unknown unknown = null;
        SnowflakeException failure = null;
        for (int attempt = 0; attempt < WRITE_ATTEMPTS; attempt++) {
            if (attempt > 0) {
                platform.park(PAUSE_NANOS);
            }
            try {
                CasResult result = coordinator.writeMeta(expected, next, WRITE_TIMEOUT);
                if (result instanceof CasResult.Rejected rejected
                        && rejected.meta() != null
                        && rejected.meta().value().equals(next)) {
                    return new CasResult.Applied(rejected.meta(), false);
                }
                if (!(result instanceof CasResult.Unknown again)) {
                    return result;
                }
                unknown = again;
            } catch (SnowflakeException nothingChanged) {
                failure = nothingChanged;
                // A setting that is wrong now, such as a password file that is gone, is no better a moment later.
                if (!(nothingChanged instanceof CoordinatorException passing) || passing.permanent()) {
                    break;
                }
            } catch (RuntimeException | Error e) {
                // Whatever it is, the request may have been sent.
                unknown = new CasResult.Unknown(unexpected(e));
            }
        }
        if (unknown != null || failure == null) {
            return unknown != null ? unknown : new CasResult.Unknown(new CoordinatorException("no attempt", false));
        }
        throw failure;
    }

    /** @throws NamespaceRefusedException unless this machine's clock agrees with the coordinator's: the floor depends on it */
    void requireRightClock(NamespaceView view) {
        Instant server = view.serverTime();
        Instant here = Instant.ofEpochMilli(view.clockMillis());
        Duration allowed = settings.maxSkew().plusMillis(CLOCK_READING_MILLIS);
        // The coordinator read its clock at some moment of the call, which may have taken long.
        if (server != null
                && (server.isAfter(here.plus(allowed))
                        || server.isBefore(
                                Instant.ofEpochMilli(view.askedMillis()).minus(allowed)))) {
            throw refused(
                    Reason.WRONG_CLOCK,
                    ": the clock of this machine says " + here + ", that of the coordinator says " + server
                            + ". The floor depends on it: correct the one that is wrong.");
        }
        if (!settings.layout().epoch().isBefore(here)) {
            throw refused(
                    Reason.WRONG_CLOCK,
                    ": the clock of this machine says " + here + ", which is not after "
                            + settings.shown(SnowflakeKeys.EPOCH) + ". Correct the one that is wrong.");
        }
    }

    /** @throws NamespaceRefusedException if there is a record with another layout than is configured */
    void requireConfiguredLayout(NamespaceView view) {
        if (view.meta() != null && !view.layout().equals(settings.layout())) {
            throw refused(
                    Reason.OTHER_LAYOUT,
                    " was created with " + LayoutAdvice.describe(view.layout()) + ", but configured is "
                            + LayoutAdvice.describe(settings.layout())
                            + ". Give this command the settings of the application.");
        }
    }

    NamespaceRefusedException refused(Reason reason, String message) {
        return new NamespaceRefusedException(reason, described() + message);
    }

    NamespaceRefusedException changed(@Nullable Stored seen) {
        return refused(
                Reason.CHANGED,
                " was changed by another process meanwhile, to " + Quoted.of(seen == null ? "nothing" : seen.value())
                        + ". Look at it, then decide again.");
    }
}
