// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.snowflakeid.administration.NamespaceFloor;
import org.snowflakeid.administration.NamespacePlace;
import org.snowflakeid.administration.NamespaceRefusedException;
import org.snowflakeid.administration.NamespaceRefusedException.Reason;
import org.snowflakeid.administration.NamespaceView;
import org.snowflakeid.config.Settings;
import org.snowflakeid.config.SnowflakeKeys;
import org.snowflakeid.records.NamespaceRecord;
import org.snowflakeid.records.Reach;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;

/** Compares floors with the same arithmetic on unbounded integers. */
class NamespaceFloorTest {

    private static final long NEW_YEAR = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

    private final Random random = new Random(23);
    private final FakeStore store = new FakeStore(new VirtualWorld(1));

    private SnowflakeLayout layout() {
        // An epoch is not after now. For earlier ones, few low bits leave ticks for centuries, many leave only a few.
        Instant epoch = Instant.ofEpochMilli(random.nextLong(NEW_YEAR));
        int low = 2 + random.nextInt(39);
        int workerIdBits = Math.max(1, Math.min(20, low - 1 - random.nextInt(Math.min(20, low - 1))));
        return new SnowflakeLayout(epoch, workerIdBits, Math.max(1, Math.min(20, low - workerIdBits)));
    }

    /** Draws any tick, but more often one near a bound. */
    private long tick(long now, long last) {
        return switch (random.nextInt(6)) {
            case 0 -> last - random.nextInt(200_000);
            case 1 -> Long.MAX_VALUE - random.nextInt(200_000);
            case 2 -> -random.nextInt(1000);
            case 3 -> random.nextLong();
            default -> now + random.nextInt(8_000_000) - 4_000_000;
        };
    }

    private Settings settings(SnowflakeLayout layout) {
        return SnowflakeSettings.of(Map.of(
                        "snowflake.epoch", layout.epoch().toString(),
                        "snowflake.worker-id-bits", Integer.toString(layout.workerIdBits()),
                        "snowflake.sequence-bits", Integer.toString(layout.sequenceBits()),
                        "snowflake.id-bits", random.nextBoolean() ? "63" : Integer.toString(53 + random.nextInt(11)),
                        "snowflake.window",
                                Duration.ofSeconds(3 + random.nextInt(3500)).toString(),
                        "snowflake.clock.max-skew",
                                Duration.ofSeconds(1 + random.nextInt(3500)).toString(),
                        "snowflake.startup-timeout", "PT24H"))
                .values();
    }

    private static NamespaceView view(
            @Nullable NamespaceRecord meta, SnowflakeLayout layout, List<Long> limits, @Nullable Instant serverTime) {
        List<Slot> slots = new ArrayList<>();
        for (int id = 0; id < limits.size(); id++) {
            slots.add(new Slot(id, new Stored("limit=" + limits.get(id) + " token=t k=0 from=0", 0), null));
        }
        return new NamespaceView(
                meta == null ? null : meta.stored(), meta, "", layout, slots, serverTime, NEW_YEAR, NEW_YEAR);
    }

    private static NamespaceRecord meta(SnowflakeLayout layout, Duration maxWindow, long floor) {
        return NamespaceRecord.parse(
                new Stored(NamespaceRecord.create("id", layout, maxWindow, floor, Instant.EPOCH), 0));
    }

    private static OptionalLong unlessRefused(java.util.function.LongSupplier floor) {
        try {
            return OptionalLong.of(floor.getAsLong());
        } catch (NamespaceRefusedException refused) {
            assertThat(refused.reason()).isEqualTo(Reason.NO_FLOOR);
            return OptionalLong.empty();
        }
    }

    @Test
    void everyFloorLiesAboveAllThatMayHaveBeenGrantedOrIsRefused() {
        int floors = 0;
        int refusals = 0;
        for (int run = 0; run < 4_000; run++) {
            SnowflakeLayout oldLayout = layout();
            // Half of the moves go to a layout that is likely to have room.
            SnowflakeLayout newLayout = random.nextBoolean() ? oldLayout : layout();
            Settings from = settings(oldLayout);
            Settings to = settings(newLayout);
            long now = oldLayout.tickOf(NEW_YEAR);
            List<Long> limits = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                limits.add(tick(now, oldLayout.lastTick()));
            }
            long oldFloor = Math.floorMod(tick(now, oldLayout.lastTick()), oldLayout.lastTick() + 1);
            oldFloor = random.nextInt(4) == 0 ? oldFloor : 0;
            Duration longest = random.nextBoolean() ? SnowflakeKeys.LONGEST_WINDOW : NamespaceRecord.LONGEST_WINDOW;
            Duration maxWindow = Duration.ofMillis(1 + random.nextLong(longest.toMillis()));
            NamespaceView view = view(meta(oldLayout, maxWindow, oldFloor), oldLayout, limits, null);
            NamespaceView there = view(null, newLayout, List.of(), null);
            NamespacePlace old = new NamespacePlace(from, store, store.world.new Machine());
            NamespacePlace place = new NamespacePlace(to, store, store.world.new Machine());

            OptionalLong inPlace = unlessRefused(() -> new NamespaceFloor(old, view).inPlace());
            OptionalLong elsewhere = unlessRefused(() -> new NamespaceFloor(old, view).elsewhere(place, there));

            BigInteger lost = BigInteger.valueOf(now)
                    .add(BigInteger.valueOf(maxWindow.toMillis())
                            .max(BigInteger.valueOf(from.window().toMillis())))
                    .add(BigInteger.valueOf(2 * from.maxSkew().toMillis()));
            BigInteger atLeast = lost.max(BigInteger.valueOf(oldFloor));
            // A longer window was not written by this library.
            Instant furthest = maxWindow.compareTo(SnowflakeKeys.LONGEST_WINDOW) > 0
                    ? Instant.MAX
                    : Instant.ofEpochMilli(NEW_YEAR).plus(Reach.FURTHEST_FLOOR);
            inPlace.ifPresent(floor -> {
                assertThat(BigInteger.valueOf(floor)).isGreaterThanOrEqualTo(atLeast);
                assertThat(limits).noneMatch(limit -> limit > floor && limit <= now + 3_600_000);
                assertThat(floor).isLessThan(from.lastTick() - from.window().toMillis());
                assertThat(oldLayout.instantOf(floor)).isBeforeOrEqualTo(furthest);
            });
            elsewhere.ifPresent(floor -> {
                BigInteger granted = atLeast;
                for (long limit : limits) {
                    if (limit >= 0 && limit <= oldLayout.lastTick()) {
                        granted = granted.max(BigInteger.valueOf(limit));
                    }
                }
                BigInteger numbersBelow = granted.shiftLeft(oldLayout.workerIdBits() + oldLayout.sequenceBits());
                BigInteger first =
                        BigInteger.valueOf(floor).shiftLeft(newLayout.workerIdBits() + newLayout.sequenceBits());
                assertThat(first).isGreaterThanOrEqualTo(numbersBelow);
                assertThat(floor).isBetween(0L, to.lastTick() - to.window().toMillis() - 1);
                assertThat(newLayout.instantOf(floor)).isBeforeOrEqualTo(furthest);
            });
            floors += (inPlace.isPresent() ? 1 : 0) + (elsewhere.isPresent() ? 1 : 0);
            refusals += (inPlace.isEmpty() ? 1 : 0) + (elsewhere.isEmpty() ? 1 : 0);
        }
        assertThat(floors).isGreaterThan(500);
        assertThat(refusals).isGreaterThan(500);
    }

    @Test
    void theClockThatIsAheadCounts() {
        SnowflakeLayout layout = SnowflakeLayout.STANDARD;
        NamespacePlace place = new NamespacePlace(settings(layout), store, store.world.new Machine());
        NamespaceRecord meta = meta(layout, Duration.ofMinutes(1), 0);
        Instant server = Instant.ofEpochMilli(NEW_YEAR + 5_000);

        long byOursAlone = new NamespaceFloor(place, view(meta, layout, List.of(), null)).inPlace();
        long byOurs = new NamespaceFloor(place, view(meta, layout, List.of(), server.minusSeconds(10))).inPlace();
        long byTheirs = new NamespaceFloor(place, view(meta, layout, List.of(), server)).inPlace();

        assertThat(byOurs).isEqualTo(byOursAlone);
        assertThat(byTheirs).isEqualTo(byOursAlone + 5_000);
    }

    @Test
    void aClockPastTheLastTickIsRefused() {
        SnowflakeLayout layout = new SnowflakeLayout(Instant.EPOCH, 20, 20);
        NamespacePlace place = new NamespacePlace(settings(layout), store, store.world.new Machine());

        assertThat(unlessRefused(() -> new NamespaceFloor(place, view(null, layout, List.of(), null)).inPlace()))
                .isEmpty();
    }
}
