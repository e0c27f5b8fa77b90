// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.TIMEOUT;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore.Entry;
import org.snowflakeid.spi.RecordStore.Reading;
import org.snowflakeid.spi.RecordStore.Write;

/** What databases are known to take for equal, to cut off or to change. */
class JdbcValuesTest {

    enum Product {
        POSTGRESQL,
        MARIADB,
        H2;

        private Databases start() {
            return switch (this) {
                case POSTGRESQL -> Databases.postgres();
                case MARIADB -> Databases.mariaDb();
                case H2 -> Databases.h2();
            };
        }
    }

    private static JdbcStore store(Map<String, String> settings) {
        return new JdbcStore(
                new JdbcSettings(new CoordinatorConfig("orders", "snowflake", Duration.ofSeconds(60), settings::get)));
    }

    private static Entry read(JdbcStore store, String key) {
        return store.read(List.of(key), TIMEOUT).entries().get(key);
    }

    private static boolean write(JdbcStore store, String key, Entry expected, String next) {
        return store.compareAndSet(key, expected, next, TIMEOUT) instanceof Write.Applied;
    }

    @ParameterizedTest
    @EnumSource
    void keepsAndComparesEachCharacter(Product product) {
        try (Databases database = product.start();
                JdbcStore store = store(database.settings())) {
            assertThat(store.read(List.of("a"), TIMEOUT).entries()).isEmpty();
            assertThat(write(store, "a", new Entry("nothing", 1L), "something")).isFalse();

            // Keys that differ in case or in a blank at the end.
            assertThat(write(store, "a", null, "one")).isTrue();
            assertThat(write(store, "A", null, "two")).isTrue();
            assertThat(write(store, "a ", null, "three")).isTrue();
            assertThat(write(store, "a", null, "again")).isFalse();
            assertThat(read(store, "a").value()).isEqualTo("one");
            assertThat(read(store, "A").value()).isEqualTo("two");
            assertThat(read(store, "a ").value()).isEqualTo("three");

            // Values that differ in the same way, of the same version.
            for (String other : List.of("One", "one ", " one", "onë", "one\n", "")) {
                assertThat(write(store, "a", new Entry(other, read(store, "a").version()), "changed"))
                        .isFalse();
            }

            // And of another version.
            assertThat(write(store, "a", new Entry("one", 7L), "changed")).isFalse();

            for (String value : List.of(
                    "Ünïcödé \uD83D\uDE00 \t\n\r\\ ' \" ; -- ? $1 %", "x".repeat(10_000), "ü".repeat(10_000), "")) {
                assertThat(write(store, "a", read(store, "a"), value)).isTrue();
                assertThat(read(store, "a").value()).isEqualTo(value);
                assertThat(write(store, "a", read(store, "a"), "next")).isTrue();
            }

            // As long as keys get.
            String key = "k".repeat(200);
            assertThat(write(store, key, null, "long")).isTrue();
            assertThat(read(store, key).value()).isEqualTo("long");
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachWriteHasAVersionOfItsOwn(Product product) {
        try (Databases database = product.start();
                JdbcStore store = store(database.settings())) {
            assertThat(write(store, "a", null, "one")).isTrue();
            Entry first = read(store, "a");
            assertThat(write(store, "a", first, "two")).isTrue();
            assertThat(write(store, "a", read(store, "a"), "one")).isTrue();

            assertThat(read(store, "a").value()).isEqualTo(first.value());
            assertThat(write(store, "a", first, "three")).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void readsManyAndTellsTheTime(Product product) {
        try (Databases database = product.start();
                JdbcStore store = store(database.settings())) {
            Instant before = Instant.now();
            Reading nothing = store.read(List.of("a"), TIMEOUT);
            assertThat(write(store, "marks/1234", null, "one")).isTrue();
            Reading many = store.read(
                    IntStream.range(0, 2_000).mapToObj(id -> "marks/" + id).toList(), TIMEOUT);
            Instant after = Instant.now();

            assertThat(many.entries()).hasSize(1).containsKey("marks/1234");
            assertThat(List.of(nothing.time(), many.time()))
                    .allMatch(time -> !time.isBefore(before.minusSeconds(1)) && !time.isAfter(after.plusSeconds(1)));
        }
    }
}
