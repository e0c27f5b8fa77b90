// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.administration.CoordinatorCheck;
import org.snowflakeid.config.Coordinators;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.ForwardingCoordinator;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator;
import org.snowflakeid.spi.WorkerCoordinatorProvider;
import org.snowflakeid.testservers.ConsulServer;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.PostgresServer;
import org.snowflakeid.testservers.RedisServer;
import org.snowflakeid.testservers.ZooKeeperServer;

/** {@code snowflake-operator check} on real servers, on tables that lie, and on coordinators that are broken. */
class CheckCommandTest {
    private static PostgresServer postgres;

    @BeforeAll
    static void startServer() {
        postgres = PostgresServer.start();
    }

    @AfterAll
    static void stopServer() {
        postgres.close();
    }

    private static Session check(String... settings) {
        List<String> arguments = new ArrayList<>(List.of("check"));
        for (String each : settings) {
            arguments.add("-D" + each);
        }
        return Session.run(arguments.toArray(String[]::new));
    }

    private static Session checkPostgres(String table) {
        return check("snowflake.jdbc.url=" + postgres.url(), "snowflake.jdbc.table=" + table);
    }

    private static void requirePassed(Session session) {
        assertThat(session.exitCode()).as(session.all()).isZero();
        assertThat(session.out())
                .contains("All promises are kept", "/snowflake-check-", "Left behind")
                .doesNotContain("BROKEN");
        assertThat(session.out().lines().filter(line -> line.startsWith("passed ")))
                .hasSize(9);
        assertThat(session.err()).isEmpty();
    }

    @Test
    void postgresKeepsAllPromisesAndTheNamespaceOfTheApplicationIsAsItWas() {
        Session session = checkPostgres("sound");

        requirePassed(session);
        assertThat(session.out()).contains("in table public.sound");
        assertThat(postgres.sql("SELECT count(*) FROM sound WHERE name NOT LIKE 'snowflake/snowflake-check-%/%'"
                        + " AND name <> 'table-id'"))
                .startsWith("0");
    }

    @Test
    void otherServersKeepThemToo(@TempDir Path folder) {
        try (EtcdServer etcd = EtcdServer.start();
                RedisServer redis = RedisServer.start();
                ConsulServer consul = ConsulServer.start();
                ZooKeeperServer zooKeeper = ZooKeeperServer.start()) {
            requirePassed(check("snowflake.etcd.endpoints=" + etcd.endpoint()));
            requirePassed(check("snowflake.redis.uri=" + redis.uri()));
            requirePassed(check("snowflake.consul.url=" + consul.url()));
            requirePassed(check("snowflake.zookeeper.connect-string=" + zooKeeper.connectString()));
            requirePassed(check("snowflake.file.directory=" + folder));
        }
    }

    // ---- tables that lie

    private static void createTable(String name, String collation) {
        postgres.sql("CREATE TABLE " + name + " (name varchar(200) COLLATE " + collation
                + " PRIMARY KEY, version bigint NOT NULL, value text COLLATE \"C\" NOT NULL)");
    }

    @ParameterizedTest
    @CsvSource({
        "swallowing, NULL, 'the database does not change the table public.swallowing', 'a trigger'",
        "forgetting, OLD, 'shows the same as before', 'look for triggers'"
    })
    void triggersThatDropAnUpdateAreFound(String table, String row, String seen, String remedy) {
        createTable(table, "\"C\"");
        postgres.sql("CREATE FUNCTION " + table + "() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN " + row
                + "; END'; CREATE TRIGGER t BEFORE UPDATE ON " + table + " FOR EACH ROW EXECUTE FUNCTION " + table
                + "()");

        Session session = checkPostgres(table);

        assertThat(session.exitCode()).as(session.all()).isEqualTo(1);
        assertThat(session.out())
                .containsPattern("BROKEN  What is written is read back.*" + seen + ".*" + remedy)
                .contains("Do not use this coordinator as it is");
    }

    @Test
    void aCollationThatTakesNamesForEqualIsFound() {
        postgres.sql("CREATE COLLATION careless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
        createTable("collated", "careless");

        Session session = checkPostgres("collated");

        assertThat(session.exitCode()).as(session.all()).isEqualTo(1);
        assertThat(session.out()).contains("BROKEN  Names that differ in upper and lower case", "Is there a collation");
    }

    // ---- coordinators that are broken

    private static List<String> broken(UnaryOperator<WorkerCoordinator> wrap) {
        WorkerCoordinatorProvider sound = Coordinators.select(
                SnowflakeSettings.of(Map.of("snowflake.coordinator", "memory")).values(), Coordinators.loader());
        WorkerCoordinatorProvider provider = new WorkerCoordinatorProvider() {
            @Override
            public String name() {
                return "broken";
            }

            @Override
            public WorkerCoordinator open(CoordinatorConfig config, Runnable lossHint) {
                return wrap.apply(sound.open(config, lossHint));
            }
        };
        List<String> found = new ArrayList<>();
        try (CoordinatorCheck check =
                new CoordinatorCheck(SnowflakeSettings.of(Map.of("snowflake.coordinator", "memory")), provider)) {
            boolean kept = check.run(finding -> finding.broken().ifPresent(seen -> found.add(finding.promise())));
            assertThat(kept).isEqualTo(found.isEmpty());
        }
        return found;
    }

    @Test
    void aSoundOneInMemoryIsFoundSound() {
        assertThat(broken(sound -> sound)).isEmpty();
    }

    @Test
    void aWriteWithoutACompareIsFound() {
        assertThat(broken(sound -> new ForwardingCoordinator(sound) {
                    @Override
                    public CasResult extend(
                            int id, Stored mark, String next, String owner, Stored meta, Duration timeout) {
                        Stored now = read(id, id, timeout).slots().get(0).mark();
                        return super.extend(id, now == null ? mark : now, next, owner, meta, timeout);
                    }
                }))
                .contains("A record changes only where it is as the writer expects");
    }

    @Test
    void aReadThatIsOldIsFound() {
        assertThat(broken(sound -> new ForwardingCoordinator(sound) {
                    private Snapshot last;
                    private int reads;

                    @Override
                    public Snapshot read(int fromId, int toId, Duration timeout) {
                        Snapshot now = super.read(fromId, toId, timeout);
                        Snapshot old = last;
                        last = now;
                        boolean same = old != null
                                && old.slots().get(0).workerId()
                                        == now.slots().get(0).workerId();
                        return same && reads++ % 5 == 4 ? old : now;
                    }
                }))
                .contains("What was acknowledged is seen at once on every connection");
    }

    @Test
    void aClockThatIsWrongIsFound() {
        assertThat(broken(sound -> new ForwardingCoordinator(sound) {
                    @Override
                    public Snapshot read(int fromId, int toId, Duration timeout) {
                        Snapshot seen = super.read(fromId, toId, timeout);
                        return new Snapshot(
                                seen.meta(), seen.slots(), Instant.now().minusSeconds(3_600));
                    }
                }))
                .containsExactly("Its clock goes forward, and agrees with this machine's");
    }

    // ---- arguments

    @Test
    void argumentsAndSettingsThatAreWrongAreRefused() {
        assertThat(Session.run("check", "--help").out()).contains("usually within two minutes");
        assertThat(Session.run("check", "--all").exitCode()).isEqualTo(2);
        assertThat(check("snowflake.etcd.endpoint=http://127.0.0.1:1").exitCode())
                .isEqualTo(2);
        assertThat(Session.run("check").exitCode()).isEqualTo(2);
        Session away = check("snowflake.jdbc.url=jdbc:postgresql://127.0.0.1:1/ids");
        assertThat(away.exitCode()).isEqualTo(1);
        assertThat(away.err()).contains("Check snowflake.jdbc.url");
    }
}
