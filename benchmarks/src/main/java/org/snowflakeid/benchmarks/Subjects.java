// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** All that can be measured. A further subject is a line here, and a method that opens it. */
final class Subjects {

    private static final long OUR_EPOCH = 1_577_836_800_000L;

    static final List<Subject> ALL = List.of(
            new Subject("ours", "CAS, waiters sleep", IdTime.millisSince(OUR_EPOCH), () -> new Ours(Map.of()))
                    .alsoCompared()
                    .withSequenceBits(bits -> new Ours(Map.of("snowflake.sequence-bits", Integer.toString(bits)))),
            new Subject(
                    "ours-striped",
                    "snowflake.workers=2",
                    IdTime.millisSince(OUR_EPOCH),
                    () -> new Ours(Map.of("snowflake.workers", "2"))),
            new Subject(
                    "ours-striped-8",
                    "snowflake.workers=8",
                    IdTime.millisSince(OUR_EPOCH),
                    () -> new Ours(Map.of("snowflake.workers", "8"))),
            new Subject(
                    "ours-burst",
                    "snowflake.burst=PT1S, may borrow as much",
                    IdTime.millisSince(OUR_EPOCH),
                    () -> new Ours(Map.of("snowflake.burst", "PT1S"))),
            new Subject("agrona", "CAS, each waiter spins", IdTime.millisSince(0), Peers::agrona)
                    .alsoCompared()
                    .withSequenceBits(Peers::agrona),
            new Subject("cosid", "monitor", IdTime.millisSince(Peers.COSID_EPOCH), Peers::cosId)
                    .alsoCompared()
                    .withSequenceBits(Peers::cosId),
            new Subject("hutool", "monitor", IdTime.millisSince(1_288_834_974_657L), Peers::hutool).alsoCompared(),
            new Subject(
                            "seata",
                            "lock-free, hardly reads the clock",
                            new IdTime(1_588_435_200_000L, 12, 41, 1),
                            Peers::seata)
                    .alsoCompared(),
            new Subject(
                    "tsid-creator",
                    "random start each ms, borrows the future",
                    IdTime.millisSince(OUR_EPOCH),
                    Peers::tsidCreator),
            new Subject(
                            "yitter",
                            "static monitor, borrows up to 2 s, then stalls",
                            IdTime.millisSince(1_582_136_402_000L),
                            Peers::yitter)
                    .withCycle(2_000),
            new Subject(
                    "shardingsphere",
                    "monitor, boxes each id",
                    IdTime.millisSince(1_477_958_400_000L),
                    Peers::shardingSphere),
            new Subject("leaf", "monitor, random start each ms", IdTime.millisSince(0), Peers::leaf),
            new Subject(
                            "uid-generator",
                            "monitor, counts in seconds",
                            new IdTime(1_463_673_600_000L, 32, 31, 1_000),
                            Peers::uidGenerator)
                    .withCycle(1_000),
            new Subject("mkammerer", "ReentrantLock", IdTime.millisSince(OUR_EPOCH), Peers::mkammerer),
            new Subject("counter", "control: what timing itself costs", IdTime.millisSince(0), () -> {
                        AtomicLong ids = new AtomicLong();
                        return ids::incrementAndGet;
                    })
                    .asControl(Column.SOLO, Column.TWO, Column.PACED),
            new Subject(
                            "unsynchronised",
                            "control: must issue duplicates",
                            IdTime.millisSince(0),
                            UnsynchronisedSnowflake::new)
                    .asControl(Column.DUPLICATES));

    private Subjects() {}

    static Subject named(String name) {
        return ALL.stream()
                .filter(subject -> subject.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no subject '" + name + "', only "
                        + ALL.stream().map(Subject::name).toList()));
    }
}
