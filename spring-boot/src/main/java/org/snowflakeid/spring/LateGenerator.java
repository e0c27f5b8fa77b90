// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeCounts;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeStatus;

/** The generator that a bean is, looked for when it is first used. */
final class LateGenerator implements Snowflake {

    private final Supplier<Snowflake> bean;
    private volatile @Nullable Snowflake found;

    LateGenerator(Supplier<Snowflake> bean) {
        this.bean = bean;
    }

    /** Blocks while a worker id is claimed, if it was used by nothing before. */
    Snowflake found() {
        Snowflake ids = found;
        if (ids == null) {
            ids = bean.get();
            found = ids;
        }
        return ids;
    }

    @Override
    public long nextId() {
        return found().nextId();
    }

    @Override
    public long[] nextIds(int count) {
        return found().nextIds(count);
    }

    @Override
    public void nextIds(long[] into, int from, int count) {
        found().nextIds(into, from, count);
    }

    @Override
    public UUID nextUuid() {
        return found().nextUuid();
    }

    @Override
    public SnowflakeLayout layout() {
        return found().layout();
    }

    @Override
    public SnowflakeStatus status() {
        return found().status();
    }

    @Override
    public SnowflakeCounts counts() {
        return found().counts();
    }
}
