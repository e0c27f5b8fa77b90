// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.baomidou.mybatisplus.core.MybatisConfiguration;
import com.baomidou.mybatisplus.core.MybatisSqlSessionFactoryBuilder;
import com.baomidou.mybatisplus.core.incrementer.IdentifierGenerator;
import com.baomidou.mybatisplus.core.mapper.BaseMapper;
import com.baomidou.mybatisplus.core.toolkit.GlobalConfigUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.YearMonth;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeUnavailableException;
import org.snowflakeid.testing.TestSnowflake;
import org.snowflakeid.testservers.PostgresServer;
import org.springframework.jdbc.core.JdbcTemplate;

/** What docs/sql.md shows stands in the classes beside this one, apart from blanks, and works on a PostgreSQL. */
class SqlPageTest {

    private static final SnowflakeLayout LAYOUT = SnowflakeLayout.STANDARD;

    private static PostgresServer postgres;
    private static PGSimpleDataSource database;
    private static Page page;

    private final TestSnowflake ids = TestSnowflake.workerId(7);
    private final JdbcTemplate jdbc = new JdbcTemplate(database);

    @BeforeAll
    static void startServer() throws IOException {
        page = Page.read("sql.md");
        postgres = PostgresServer.start();
        database = new PGSimpleDataSource();
        database.setUrl(postgres.url());
    }

    @AfterAll
    static void stopServer() {
        postgres.close();
    }

    @BeforeEach
    void createTables() {
        jdbc.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
        for (String statements : page.blocks("sql")) {
            jdbc.execute(statements);
        }
    }

    @Test
    void itsCodeIsThatOfTheTests() throws IOException {
        StringBuilder tested = new StringBuilder();
        try (Stream<Path> sources =
                Files.list(Path.of("src/test/java", getClass().getPackageName().replace('.', '/')))) {
            for (Path source : sources.toList()) {
                tested.append(Files.readString(source));
            }
        }

        assertThat(page.blocks("java")).hasSize(7).allSatisfy(block -> assertThat(withoutBlanks(tested.toString()))
                .contains(withoutBlanks(block)));
    }

    private static String withoutBlanks(String text) {
        return text.replaceAll("\\s", "");
    }

    @Test
    void jdbcTemplate() {
        JdbcOrders orders = new JdbcOrders(jdbc, ids);

        long first = orders.add("ann");
        orders.addAll(List.of("bob", "cem"));

        assertThat(customers()).containsExactly("ann", "bob", "cem");
        assertThat(storedIds()).contains(first).allSatisfy(this::isOneOfOurs);
        assertThatThrownBy(() -> orders.addAll(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void jooq() {
        JooqOrders orders = new JooqOrders(database, ids);

        long first = orders.add("ann");
        OrdersRecord stored = orders.order("bob");
        stored.store();
        OrdersRecord imported = orders.order("eve");
        imported.setId(1L);
        imported.insert();

        assertThat(customers()).containsExactly("eve", "ann", "bob");
        assertThat(storedIds()).containsExactly(1L, first, stored.getId());
        isOneOfOurs(first);
        isOneOfOurs(stored.getId());
    }

    @Test
    void jooqInBatches() {
        JooqOrders orders = new JooqOrders(database, ids);

        orders.insertAll(List.of(orders.order("ann"), orders.order("bob")));

        assertThat(customers()).containsExactly("ann", "bob");
        assertThat(storedIds()).allSatisfy(this::isOneOfOurs);
    }

    @Test
    void myBatis() {
        Configuration configuration = new Configuration(environment());
        configuration.addInterceptor(new MyBatisOrderIds(ids));
        configuration.addMapper(OrderMapper.class);
        Order fresh = new Order("ann");
        Order imported = new Order("eve");
        imported.id = 1L;

        inSession(new SqlSessionFactoryBuilder().build(configuration), session -> {
            OrderMapper orders = session.getMapper(OrderMapper.class);
            orders.insert(fresh);
            orders.insert(imported);
        });

        assertThat(customers()).containsExactly("eve", "ann");
        assertThat(storedIds()).containsExactly(1L, fresh.id);
        isOneOfOurs(fresh.id);
    }

    interface PlusMapper extends BaseMapper<Order> {}

    @Test
    void myBatisPlus() {
        IdentifierGenerator generator = entity -> ids.nextId();
        MybatisConfiguration configuration = new MybatisConfiguration(environment());
        GlobalConfigUtils.getGlobalConfig(configuration).setIdentifierGenerator(generator);
        configuration.addMapper(PlusMapper.class);
        Order fresh = new Order("ann");
        Order imported = new Order("eve");
        imported.id = 1L;

        inSession(new MybatisSqlSessionFactoryBuilder().build(configuration), session -> {
            PlusMapper orders = session.getMapper(PlusMapper.class);
            assertThat(orders.insert(fresh)).isEqualTo(1);
            assertThat(orders.insert(imported)).isEqualTo(1);
        });

        assertThat(customers()).containsExactly("eve", "ann");
        assertThat(storedIds()).containsExactly(1L, fresh.id);
        isOneOfOurs(fresh.id);
    }

    @Test
    void nothingIsInsertedWhileThereIsNoId() {
        JooqOrders jooq = new JooqOrders(database, ids);
        Configuration configuration = new Configuration(environment());
        configuration.addInterceptor(new MyBatisOrderIds(ids));
        configuration.addMapper(OrderMapper.class);
        ids.suspend();

        assertThatThrownBy(() -> new JdbcOrders(jdbc, ids).add("ann"))
                .isInstanceOf(SnowflakeUnavailableException.class);
        assertThatThrownBy(() -> jooq.order("ann").store()).isInstanceOf(SnowflakeUnavailableException.class);
        assertThatThrownBy(() -> inSession(
                        new SqlSessionFactoryBuilder().build(configuration),
                        session -> session.getMapper(OrderMapper.class).insert(new Order("ann"))))
                .isInstanceOf(PersistenceException.class)
                .hasRootCauseInstanceOf(SnowflakeUnavailableException.class);

        assertThat(customers()).isEmpty();
    }

    private static Environment environment() {
        return new Environment("test", new JdbcTransactionFactory(), database);
    }

    private static void inSession(SqlSessionFactory sessions, Consumer<SqlSession> work) {
        try (SqlSession session = sessions.openSession(true)) {
            work.accept(session);
        }
    }

    @Test
    void thePartitionOfThePageIsTheOneThatTheCodeMakes() {
        String bounds = "SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE relname = 'events_2026_11'";
        String onThePage = jdbc.queryForObject(bounds, String.class);
        EventPartitions partitions = new EventPartitions(jdbc, ids);

        partitions.drop(YearMonth.of(2026, 11));
        partitions.create(YearMonth.of(2026, 11));

        assertThat(jdbc.queryForObject(bounds, String.class)).isEqualTo(onThePage);
    }

    @Test
    void eachRowIsInThePartitionOfItsMonthUntilThatIsDropped() {
        EventPartitions partitions = new EventPartitions(jdbc, ids);
        partitions.create(YearMonth.of(2026, 12));
        Instant december = Instant.parse("2026-12-01T00:00:00Z");
        insertEvent(LAYOUT.minId(Instant.parse("2026-11-01T00:00:00Z")));
        insertEvent(LAYOUT.maxId(december.minusMillis(1)));
        insertEvent(LAYOUT.minId(december));
        insertEvent(ids.at(december.plusSeconds(1)).nextId());

        assertThat(jdbc.queryForList("SELECT tableoid::regclass::text FROM events ORDER BY id", String.class))
                .containsExactly("events_2026_11", "events_2026_11", "events_2026_12", "events_2026_12");
        assertThat(String.join(
                        "\n",
                        jdbc.queryForList(
                                "EXPLAIN SELECT * FROM events WHERE id BETWEEN "
                                        + LAYOUT.minId(december.minusSeconds(60)) + " AND "
                                        + LAYOUT.maxId(december.minusMillis(1)),
                                String.class)))
                .contains("events_2026_11")
                .doesNotContain("events_2026_12");

        partitions.drop(YearMonth.of(2026, 11));

        assertThat(jdbc.queryForObject("SELECT to_regclass('events_2026_11') IS NULL", Boolean.class))
                .isTrue();
        assertThat(jdbc.queryForList("SELECT id FROM events ORDER BY id", Long.class))
                .hasSize(2)
                .allSatisfy(id -> assertThat(LAYOUT.decode(id).timestamp()).isAfterOrEqualTo(december));
        String refusal = page.section("Partitions by time").text().replaceAll("(?s).*`(no partition[^`]*)`.*", "$1");
        assertThatThrownBy(() -> insertEvent(LAYOUT.minId(december) - 1)).hasMessageContaining(refusal);
    }

    private void insertEvent(long id) {
        jdbc.update("INSERT INTO events (id, kind) VALUES (?, 'seen')", id);
    }

    private List<String> customers() {
        return jdbc.queryForList("SELECT customer FROM orders ORDER BY id", String.class);
    }

    private List<Long> storedIds() {
        return jdbc.queryForList("SELECT id FROM orders ORDER BY id", Long.class);
    }

    private void isOneOfOurs(long id) {
        assertThat(LAYOUT.decode(id).workerId()).isEqualTo(7);
        assertThat(LAYOUT.decode(id).timestamp()).isEqualTo(ids.now());
    }
}
