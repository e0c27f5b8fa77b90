// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.snowflakeid.CoordinatorRegressedException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.SnowflakeStatus;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.TcpProxy;

/** A standby takes the place of its primary, at the same address. */
class PostgresFailoverTest {
    private final String namespace = Node.freshNamespace();
    private final String mark = namespace + "/marks/3";
    private final PostgresServer primary = PostgresServer.start();
    private final PostgresServer standby =
            PostgresServer.builder().standbyOf(primary).start();
    private final TcpProxy address = TcpProxy.to(primary.clientPort());

    @AfterEach
    void stop() {
        address.close();
        standby.close();
        primary.close();
    }

    private LeasedSnowflake open(String workerIds, String window) {
        return LeasedSnowflake.open(SnowflakeSettings.of(Map.of(
                "snowflake.coordinator",
                "jdbc",
                "snowflake.jdbc.url",
                primary.url(address.port()),
                "snowflake.namespace",
                namespace,
                "snowflake.worker-ids",
                workerIds,
                "snowflake.window",
                window,
                // A machine that is busy may need longer for all of this than a window.
                "snowflake.wait-timeout",
                "PT5M")));
    }

    /** The mark of worker id 3, without the owner; empty at a standby that has not heard of it, or of the table. */
    private String markAt(PostgresServer server) {
        if (!server.sql("SELECT to_regclass('snowflake_record')").contains("snowflake_record")) {
            return "";
        }
        return server.sql("SELECT split_part(value, E'\\n', 1) FROM snowflake_record WHERE name = '" + mark + "'")
                .strip();
    }

    /** Whether the standby has what the generator knows, and no more. */
    private boolean knowsAsMuchAs(LeasedSnowflake ids) {
        return markAt(standby).contains(" until=" + reservedUntil(ids) + " ");
    }

    /** Looks twice: the answer to an earlier write may have been on its way. */
    private boolean staysAheadOf(LeasedSnowflake ids) {
        boolean ahead = !knowsAsMuchAs(ids);
        return ahead && !knowsAsMuchAs(ids);
    }

    private static Instant reservedUntil(LeasedSnowflake ids) {
        SnowflakeStatus status = ids.status();
        return status.reservedUntil().orElseThrow(() -> new AssertionError(status));
    }

    private static void awaitExtension(LeasedSnowflake ids) {
        Instant before = reservedUntil(ids);
        await(PATIENCE, () -> reservedUntil(ids).isAfter(before));
    }

    /** The standby gets nothing any more. */
    private void cutOff() {
        String set = standby.sql("ALTER SYSTEM SET primary_conninfo = ''");
        String reloaded = standby.sql("SELECT pg_reload_conf()");
        assertThat(set + reloaded).contains("t");
        await(PATIENCE, () -> standby.sql("SELECT count(*) FROM pg_stat_wal_receiver")
                .startsWith("0"));
    }

    /** The primary acknowledges only what the standby has, as the page recommends. */
    private void replicateSynchronously() {
        String set = primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'");
        String reloaded = primary.sql("SELECT pg_reload_conf()");
        assertThat(set + reloaded).contains("t");
        await(PATIENCE, () -> primary.sql("SELECT sync_state FROM pg_stat_replication")
                .startsWith("sync"));
    }

    /**
     * Clients that come too early still reach a standby.
     *
     * @return the mark that the standby had when no client could write any more
     */
    private String failOver() {
        primary.kill();
        address.leadTo(standby.clientPort());
        address.cut();
        address.pass();
        String left = markAt(standby);
        standby.promote();
        return left;
    }

    private static @Nullable Exception refusal(LeasedSnowflake ids) {
        try {
            long unused = ids.nextId();
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    @Test
    void aStandbyThatLaggedAndWasPromotedIsNoticedAtTheNextExtension() {
        try (LeasedSnowflake ids = open("3", "PT15S")) {
            await(PATIENCE, () -> markAt(standby).contains("limit="));
            cutOff();
            String lagging = markAt(standby);
            awaitExtension(ids);
            await(PATIENCE, () -> !markAt(primary).equals(lagging));
            awaitExtension(ids);
            assertThat(ids.nextId()).isPositive();

            assertThat(failOver()).isEqualTo(lagging);

            await(PATIENCE, () -> refusal(ids) instanceof CoordinatorRegressedException);
            assertThat(refusal(ids))
                    .hasMessageContaining("snowflake 'default'")
                    .hasMessageContaining("shows for worker id 3 the mark '" + lagging + "'");
            assertThat(ids.status().state()).isEqualTo(State.SUSPENDED);
            assertThat(markAt(standby)).isEqualTo(lagging);
        }
    }

    /** Such a commit is a success with a warning; where its client has gone it is there without one, and is found when the mark is read. */
    @Test
    void aCommitWhoseWaitForTheStandbyIsCancelledReservesNothing() {
        try (LeasedSnowflake ids = open("3", "PT15S")) {
            replicateSynchronously();
            awaitExtension(ids);
            await(PATIENCE, () -> knowsAsMuchAs(ids));
            cutOff();
            Instant reserved = reservedUntil(ids);
            int cancelled = 0;

            while (ids.status().state() == State.ACTIVE) {
                cancelled +=
                        primary.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                                        .startsWith("t")
                                ? 1
                                : 0;
                ids.status().reservedUntil().ifPresent(until -> assertThat(until)
                        .isEqualTo(reserved));
            }

            assertThat(cancelled).isPositive();
        }
    }

    /** Takes ids all the time, and keeps them. */
    private static final class Taker implements AutoCloseable {
        private final List<Long> taken = new ArrayList<>();
        private final Thread thread;
        private volatile boolean over;
        private volatile int count;
        private volatile @Nullable RuntimeException failure;

        Taker(LeasedSnowflake ids) {
            thread = new Thread(() -> take(ids), "taker");
            thread.start();
        }

        private void take(LeasedSnowflake ids) {
            try {
                while (!over) {
                    taken.add(ids.nextId());
                    count = taken.size();
                    // So many are enough; nothing waits for it.
                    Thread.sleep(1);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                failure = e;
            }
        }

        void awaitMore() {
            int before = count;
            await(PATIENCE, () -> count > before + 10 || failure != null);
            assertThat(failure).isNull();
        }

        List<Long> end() throws InterruptedException {
            over = true;
            thread.join(PATIENCE.toMillis());
            assertThat(thread.isAlive()).isFalse();
            assertThat(failure).isNull();
            return taken;
        }

        @Override
        public void close() {
            over = true;
            thread.interrupt();
        }
    }

    /** How far the write has come when the primary dies. */
    enum Write {
        /** It waits for a lock there. */
        IS_LOST {
            @Override
            void meetsFailover(PostgresFailoverTest test, LeasedSnowflake ids) throws Exception {
                try (Connection locking = DriverManager.getConnection(test.primary.url());
                        Statement lock = locking.createStatement()) {
                    locking.setAutoCommit(false);
                    try (ResultSet locked = lock.executeQuery(
                            "SELECT 1 FROM snowflake_record WHERE name = '" + test.mark + "' FOR UPDATE")) {
                        assertThat(locked.next()).isTrue();
                    }
                    String before = test.markAt(test.primary);
                    await(PATIENCE, () -> !test.primary
                            .sql("SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                    + " AND query LIKE 'UPDATE %snowflake_record%'")
                            .isBlank());
                    assertThat(test.failOver()).isEqualTo(before);
                }
            }
        },
        /** It is done, and the standby has it; the answer is on its way. */
        IS_DONE {
            @Override
            void meetsFailover(PostgresFailoverTest test, LeasedSnowflake ids) {
                test.address.holdRepliesFrom("UPDATE \"public\".\"snowflake_record\"");
                await(PATIENCE, () -> test.staysAheadOf(ids));
                String written = test.markAt(test.standby);
                assertThat(test.failOver()).isEqualTo(written);
            }
        };

        abstract void meetsFailover(PostgresFailoverTest test, LeasedSnowflake ids) throws Exception;
    }

    @ParameterizedTest
    @EnumSource
    void aFailoverInTheMiddleOfAWriteLosesNothingIfTheStandbyDidNotLag(Write write) throws Exception {
        replicateSynchronously();
        List<Long> all = new ArrayList<>();
        try (LeasedSnowflake ids = open("3", "PT60S");
                Taker taker = new Taker(ids)) {
            // The first windows are short.
            await(
                    PATIENCE,
                    () -> Duration.between(Instant.now(), reservedUntil(ids)).toSeconds() >= 30);
            Instant reserved = reservedUntil(ids);
            await(PATIENCE, () -> markAt(standby).equals(markAt(primary)));

            write.meetsFailover(this, ids);

            taker.awaitMore();
            await(
                    PATIENCE,
                    () -> reservedUntil(ids).isAfter(reserved)
                            && ids.status().lastError().isEmpty());
            // Nothing is under way, and both know the same.
            await(PATIENCE, () -> knowsAsMuchAs(ids));
            assertThat(ids.status().state()).isEqualTo(State.ACTIVE);
            assertThat(ids.status().workerIds()).containsExactly(3);
            try (LeasedSnowflake another = open("3-4", "PT60S")) {
                assertThat(another.status().workerIds()).containsExactly(4);
                for (int i = 0; i < 1_000; i++) {
                    all.add(another.nextId());
                }
            }
            taker.awaitMore();
            List<Long> taken = taker.end();
            assertThat(taken).isSorted();
            all.addAll(taken);
        }
        // The next holder goes on behind what was issued.
        try (LeasedSnowflake next = open("3", "PT60S")) {
            assertThat(next.status().workerIds()).containsExactly(3);
            for (int i = 0; i < 1_000; i++) {
                all.add(next.nextId());
            }
        }
        assertThat(all).doesNotHaveDuplicates();
    }
}
