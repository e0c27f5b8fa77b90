// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus.State;

/** A generator with a short window that issues while its coordinator changes under it. Who uses it depends on snowflake-coordinator-tck and AssertJ. */
public final class RunningGenerator implements AutoCloseable {
    private final LeasedSnowflake ids;
    private Instant reservedUntil = Instant.EPOCH;
    private long last;
    private String refusal = "";

    /** It has issued an id. */
    public RunningGenerator(Map<String, String> keys) {
        Map<String, String> all = new HashMap<>(keys);
        all.put("snowflake.window", "PT3S");
        all.put("snowflake.wait-timeout", "PT0S");
        ids = LeasedSnowflake.open(SnowflakeSettings.of(all));
        assertThat(issues()).isTrue();
    }

    /** Whether there is an id: then it is above all before, and within what was reserved. */
    private boolean issues() {
        try {
            long id = ids.nextId();
            reservedUntil = ids.status().reservedUntil().orElse(reservedUntil);
            assertThat(id).isGreaterThan(last);
            assertThat(ids.layout().decode(id).timestamp()).isBefore(reservedUntil);
            last = id;
            return true;
        } catch (SnowflakeException e) {
            refusal = String.valueOf(e.getMessage());
            return false;
        }
    }

    /** Issues until there is no id, for a reason that has all these words. */
    public void awaitStop(String... words) {
        try {
            await(
                    PATIENCE,
                    () -> !issues()
                            && ids.status().state() == State.SUSPENDED
                            && Stream.of(words).allMatch(refusal::contains));
        } catch (AssertionError e) {
            throw new AssertionError("the last refusal was: " + refusal, e);
        }
    }

    /** Returns when there are ids again. */
    public void awaitIds() {
        await(PATIENCE, this::issues);
        assertThat(ids.status().state()).isEqualTo(State.ACTIVE);
    }

    /** Issues until more is reserved than now. */
    public void awaitExtension() {
        Instant before = reservedUntil;
        await(PATIENCE, () -> issues() && reservedUntil.isAfter(before));
    }

    /** The last id. */
    public long last() {
        return last;
    }

    public int workerId() {
        return ids.status().workerId().orElseThrow();
    }

    @Override
    public void close() {
        ids.close();
    }
}
