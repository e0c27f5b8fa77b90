// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.SnowflakeLayout;

/** Refuses a layout whose timestamps have run out, and says which would last. */
public final class LayoutAdvice {

    /** A layout that lasts less than ten years is not worth proposing. */
    private static final Duration YEARS_WORTH_A_LAYOUT = Duration.ofDays(3650);

    private LayoutAdvice() {}

    /** @throws InvalidSettingsException if its epoch is not in the past, or its timestamps end within a window from now */
    public static void requireLasting(Settings settings, Instant now) {
        SnowflakeLayout layout = settings.layout();
        String prefix = Logs.named(settings.generator(), "");
        if (!layout.epoch().isBefore(now)) {
            throw new InvalidSettingsException(List.of(prefix + settings.shown(SnowflakeKeys.EPOCH)
                    + " is not in the past of the system clock, which says " + now
                    + ". Correct the one that is wrong."));
        }
        if (!settings.exhaustedAt().isAfter(now.plus(settings.window()))) {
            boolean bounded = settings.idBits() < SnowflakeLayout.ID_BITS;
            throw new InvalidSettingsException(List.of(prefix
                    + (bounded ? settings.shown(SnowflakeKeys.ID_BITS) + ", " : "")
                    + settings.shown(SnowflakeKeys.WORKER_ID_BITS) + " and "
                    + settings.shown(SnowflakeKeys.SEQUENCE_BITS) + " leave "
                    + (settings.idBits() - layout.workerIdBits() - layout.sequenceBits())
                    + " bits for the timestamp, which ran out on " + day(settings.exhaustedAt())
                    + " counting from " + settings.shown(SnowflakeKeys.EPOCH) + " (the system clock says " + now
                    + "). Lower the bits of worker id or sequence, or use a new namespace with a later epoch, for a column of its own:"
                    + " in the old one ids would repeat. " + proposal(settings, now)));
        }
    }

    /** Proposes 41 bits of milliseconds, as many as the standard layout has. */
    private static String proposal(Settings settings, Instant now) {
        int lowBits = settings.idBits() - 41;
        int workerIdBits = lowBits / 2 - 1;
        int sequenceBits = lowBits - workerIdBits;
        long lastTick = Settings.lastTick(settings.idBits(), lowBits);
        Instant epoch = settings.layout().epoch();
        String which = "this epoch";
        if (epoch.plusMillis(lastTick).isBefore(now.plus(YEARS_WORTH_A_LAYOUT))) {
            epoch = now.truncatedTo(ChronoUnit.DAYS)
                    .atOffset(ZoneOffset.UTC)
                    .withDayOfYear(1)
                    .toInstant();
            which = settings.nameOf(SnowflakeKeys.EPOCH) + "=" + epoch;
        }
        return "For example, " + settings.nameOf(SnowflakeKeys.WORKER_ID_BITS) + "=" + workerIdBits + " and "
                + settings.nameOf(SnowflakeKeys.SEQUENCE_BITS) + "=" + sequenceBits + " with " + which + " last until "
                + day(epoch.plusMillis(lastTick)) + ".";
    }

    private static String day(Instant instant) {
        return instant.toString().substring(0, 10);
    }

    /** In the words of the configuration. */
    public static String describe(SnowflakeLayout layout) {
        return "epoch=" + layout.epoch() + " worker-id-bits=" + layout.workerIdBits() + " sequence-bits="
                + layout.sequenceBits();
    }
}
