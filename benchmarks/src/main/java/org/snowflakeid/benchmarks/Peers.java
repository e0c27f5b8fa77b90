// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import cn.hutool.core.lang.Snowflake;
import com.github.f4b6a3.tsid.TsidFactory;
import com.github.yitter.contract.IdGeneratorOptions;
import com.github.yitter.idgen.DefaultIdGenerator;
import com.tencent.devops.leaf.snowflake.SnowflakeIDGenImpl;
import com.xfvape.uid.impl.DefaultUidGenerator;
import java.lang.reflect.Constructor;
import java.util.Properties;
import me.ahoo.cosid.snowflake.MillisecondSnowflakeId;
import org.agrona.concurrent.SnowflakeIdGenerator;
import org.apache.seata.common.util.IdWorker;
import org.apache.shardingsphere.infra.algorithm.keygen.snowflake.SnowflakeKeyGenerateAlgorithm;

/**
 * Other generators, each with 10 bits of worker id and 12 of sequence and otherwise as it comes. A method of its own for each: only
 * the one that is measured may be loaded.
 */
final class Peers {

    static final long COSID_EPOCH = 1_577_203_200_000L;

    private static final int TIME_BITS = 41;
    private static final int WORKER_ID_BITS = 10;

    private Peers() {}

    static Generator agrona() {
        SnowflakeIdGenerator ids = new SnowflakeIdGenerator(1);
        return ids::nextId;
    }

    static Generator agrona(int sequenceBits) {
        SnowflakeIdGenerator ids =
                new SnowflakeIdGenerator(WORKER_ID_BITS, sequenceBits, 1, 0, System::currentTimeMillis);
        return ids::nextId;
    }

    static Generator cosId() {
        MillisecondSnowflakeId ids = new MillisecondSnowflakeId(1);
        return ids::generate;
    }

    static Generator cosId(int sequenceBits) {
        MillisecondSnowflakeId ids =
                new MillisecondSnowflakeId(COSID_EPOCH, TIME_BITS, WORKER_ID_BITS, sequenceBits, 1);
        return ids::generate;
    }

    static Generator hutool() {
        Snowflake ids = new Snowflake(1, 1);
        return ids::nextId;
    }

    static Generator seata() {
        IdWorker ids = new IdWorker(1L);
        return ids::nextId;
    }

    static Generator tsidCreator() {
        TsidFactory ids = TsidFactory.builder().withNodeBits(10).withNode(1).build();
        return () -> ids.create().toLong();
    }

    static Generator yitter() {
        IdGeneratorOptions options = new IdGeneratorOptions((short) 1);
        options.WorkerIdBitLength = 10;
        options.SeqBitLength = 12;
        DefaultIdGenerator ids = new DefaultIdGenerator(options);
        return ids::newLong;
    }

    static Generator shardingSphere() {
        SnowflakeKeyGenerateAlgorithm ids = new SnowflakeKeyGenerateAlgorithm();
        ids.init(new Properties());
        return new ShardingSphere(ids);
    }

    /** Its only public call is that for many ids. */
    private record ShardingSphere(SnowflakeKeyGenerateAlgorithm ids) implements Generator.InBatches {

        @Override
        public long nextId() {
            return ids.generateKeys(null, 1).iterator().next();
        }

        @Override
        public Object nextIds(int count) {
            return ids.generateKeys(null, count);
        }
    }

    /** Without its constructor, which needs ZooKeeper; epoch and worker id are 0 then. */
    static Generator leaf() {
        SnowflakeIDGenImpl ids = withoutConstructor(SnowflakeIDGenImpl.class);
        return () -> ids.get("").getId();
    }

    /** By reflection: the compiler warns of this class wherever it is named. */
    static <T> T withoutConstructor(Class<T> type) {
        try {
            Class<?> reflection = Class.forName("sun.reflect.ReflectionFactory");
            Object factory = reflection.getMethod("getReflectionFactory").invoke(null);
            Constructor<?> constructor = (Constructor<?>) reflection
                    .getMethod("newConstructorForSerialization", Class.class, Constructor.class)
                    .invoke(factory, type, Object.class.getConstructor());
            return type.cast(constructor.newInstance());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no " + type.getName(), e);
        }
    }

    /** It counts in seconds: with 22 bits of sequence it has about as many ids a second as the others. */
    static Generator uidGenerator() {
        DefaultUidGenerator ids = new DefaultUidGenerator();
        ids.setTimeBits(31);
        ids.setWorkerBits(10);
        ids.setSeqBits(22);
        ids.setWorkerIdAssigner(() -> 1);
        try {
            ids.afterPropertiesSet();
        } catch (Exception e) {
            throw new IllegalStateException("uid-generator does not start", e);
        }
        return ids::getUID;
    }

    static Generator mkammerer() {
        de.mkammerer.snowflakeid.SnowflakeIdGenerator ids =
                de.mkammerer.snowflakeid.SnowflakeIdGenerator.createDefault(1);
        return ids::next;
    }
}
