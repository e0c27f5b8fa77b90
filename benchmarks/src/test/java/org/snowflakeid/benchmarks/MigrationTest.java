// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.baomidou.mybatisplus.core.toolkit.Sequence;
import com.tencent.devops.leaf.snowflake.SnowflakeIDGenImpl;
import com.xfvape.uid.impl.DefaultUidGenerator;
import io.hypersistence.tsid.TSID;
import java.io.IOException;
import java.io.StringReader;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.snowflakeid.IdParts;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeSettings;

/** What docs/migration.md says, with real numbers of the generators it names: the settings are read from the page. */
class MigrationTest {

    private static final int IDS = 200;

    private static String page() throws IOException {
        return Files.readString(Path.of("../docs/migration.md"));
    }

    /** Those below a heading. */
    private static SnowflakeSettings settings(String heading) throws IOException {
        MatchResult block = Pattern.compile("## " + heading + "\\n.*?```properties\\n(.*?)```", Pattern.DOTALL)
                .matcher(page())
                .results()
                .findFirst()
                .orElseThrow();
        Properties properties = new Properties();
        properties.load(new StringReader(block.group(1)));
        Map<String, String> keys =
                new HashMap<>(Map.of("snowflake.coordinator", "memory", "snowflake.memory.store", heading));
        properties.stringPropertyNames().forEach(key -> keys.put(key, properties.getProperty(key)));
        return SnowflakeSettings.of(keys);
    }

    private static long[] take(LongSupplier generator) {
        return LongStream.generate(generator).limit(IDS).toArray();
    }

    /** Old ids, then new ones in the same column. */
    private static SnowflakeLayout goesOnAfter(long[] old, String heading) throws Exception {
        long greatest = LongStream.of(old).max().orElseThrow();
        try (LeasedSnowflake ids = LeasedSnowflake.open(settings(heading))) {
            // As the page says: some are ahead of the clock.
            while (ids.layout().maxId(Instant.now()) <= greatest
                    && ids.layout()
                            .decode(greatest)
                            .timestamp()
                            .isBefore(Instant.now().plusSeconds(30))) {
                Thread.sleep(1);
            }
            long[] fresh = take(ids::nextId);

            assertThat(fresh).isSorted();
            assertThat(fresh[0]).isGreaterThan(greatest);
            return ids.layout();
        }
    }

    private static void hasTheSameLayout(LongSupplier generator, int workerId, String heading) throws Exception {
        Instant before = Instant.now();
        long[] old = take(generator);

        SnowflakeLayout layout = goesOnAfter(old, heading);

        for (long id : old) {
            IdParts parts = layout.decode(id);
            assertThat(parts.workerId()).isEqualTo(workerId);
            assertThat(parts.timestamp())
                    .isBetween(before.minusSeconds(1), Instant.now().plusSeconds(1));
        }
    }

    @Test
    void tsidCreator() throws Exception {
        hasTheSameLayout(Peers.tsidCreator()::nextId, 1, "tsid-creator and hypersistence");
    }

    @Test
    void hypersistence() throws Exception {
        TSID.Factory ids = TSID.Factory.builder().withNodeBits(10).withNode(33).build();

        hasTheSameLayout(() -> ids.generate().toLong(), 33, "tsid-creator and hypersistence");
    }

    @Test
    void hutool() throws Exception {
        // Worker 1 of data centre 1.
        hasTheSameLayout(Peers.hutool()::nextId, 33, "Hutool");
    }

    @Test
    void myBatisPlus() throws Exception {
        Sequence ids = new Sequence(5, 2);

        hasTheSameLayout(ids::nextId, 2 * 32 + 5, "MyBatis-Plus");
    }

    /** Without its constructor, which needs a ZooKeeper: what that sets is set here, from the text of its source. */
    @Test
    void leaf() throws Exception {
        SnowflakeIDGenImpl ids = Peers.withoutConstructor(SnowflakeIDGenImpl.class);
        set(ids, "twepoch", 1288834974657L);
        set(ids, "workerId", 17L);

        hasTheSameLayout(() -> ids.get("").getId(), 17, "Leaf");
    }

    private static void set(Object of, String name, long value) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        field.set(of, value);
    }

    @Test
    void cosId() throws Exception {
        hasTheSameLayout(Peers.cosId()::nextId, 1, "CosId");
    }

    @Test
    void uidGenerator() throws Exception {
        DefaultUidGenerator ids = new DefaultUidGenerator();
        ids.setEpochStr(Instant.now().minusSeconds(5L * 365 * 86_400).toString().substring(0, 10));
        ids.setTimeBits(28);
        ids.setWorkerBits(22);
        ids.setSeqBits(13);
        ids.setWorkerIdAssigner(() -> (1 << 22) - 1);
        ids.afterPropertiesSet();

        SnowflakeLayout layout = goesOnAfter(take(ids::getUID), "uid-generator");

        assertThat(page())
                .contains("last until " + layout.exhaustedAt().toString().substring(0, 10));
    }

    @Test
    void sequence() throws Exception {
        AtomicLong sequence = new AtomicLong(100_000_000_000_000_000L);

        assertThat(goesOnAfter(take(sequence::incrementAndGet), "A database sequence"))
                .isNotNull();
    }

    @Test
    void sideBySideWorkerIdsKeepThemApart() throws Exception {
        try (LeasedSnowflake ids = LeasedSnowflake.open(settings("One after another"))) {
            for (long id : take(ids::nextId)) {
                assertThat(ids.layout().decode(id).workerId()).isBetween(512, 1023);
            }
        }
    }
}
