// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import java.io.Serializable;
import java.util.UUID;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.hibernate.GeneratorSource;
import org.snowflakeid.hibernate.SnowflakeId;
import org.snowflakeid.testing.TestSnowflake;

/** An upsert without a key: the row of each new entity had the key 0, and replaced that of the one before. */
class UpsertTest {

    @Entity
    static class Alone {
        @Id
        @SnowflakeId("orders")
        long id;

        String item = "tea";
    }

    @Embeddable
    record Key(@SnowflakeId("orders") long number, long shop) implements Serializable {}

    @Entity
    static class Embedded {
        @EmbeddedId
        Key key = new Key(0, 1);

        String item = "tea";
    }

    record Pair(long number, long shop) implements Serializable {}

    @Entity
    @IdClass(Pair.class)
    static class Paired {
        @Id
        @SnowflakeId("orders")
        long number;

        @Id
        long shop = 1;

        String item = "tea";
    }

    @Entity
    static class Boxed {
        @Id
        @SnowflakeId("orders")
        @Nullable
        Long id;

        String item = "tea";
    }

    private @Nullable SessionFactory factory;

    @BeforeEach
    void open() {
        Configuration configuration = new Configuration()
                .addAnnotatedClass(Alone.class)
                .addAnnotatedClass(Key.class)
                .addAnnotatedClass(Embedded.class)
                .addAnnotatedClass(Paired.class)
                .addAnnotatedClass(Boxed.class);
        configuration.getProperties().put(GeneratorSource.SETTING, (GeneratorSource) name -> TestSnowflake.workerId(1));
        configuration.setProperty("hibernate.connection.url", "jdbc:h2:mem:" + UUID.randomUUID());
        configuration.setProperty("hibernate.hbm2ddl.auto", "create-drop");
        factory = configuration.buildSessionFactory();
    }

    @AfterEach
    void close() {
        sessions().close();
    }

    private SessionFactory sessions() {
        if (factory == null) {
            throw new IllegalStateException("not open");
        }
        return factory;
    }

    private void upsert(Object entity) {
        sessions().inStatelessTransaction(session -> session.upsert(entity));
    }

    private void assertRefused(Object entity, String key) {
        assertThatThrownBy(() -> upsert(entity))
                .isInstanceOf(SnowflakeException.class)
                .hasMessage("snowflake 'orders': " + entity.getClass().getName() + "." + key
                        + ", marked with @SnowflakeId, has no value, and upsert makes no id for it. Set it before, or"
                        + " use insert.");
    }

    @Test
    void needsTheKeyThatIsMarked() {
        assertRefused(new Alone(), "id");
        assertRefused(new Embedded(), "key.number");
        assertRefused(new Paired(), "number");
        assertRefused(new Boxed(), "id");
    }

    @Test
    void keepsTheKeyThatIsThere() {
        Alone alone = new Alone();
        alone.id = 7;
        Embedded embedded = new Embedded();
        embedded.key = new Key(8, 1);
        Paired paired = new Paired();
        paired.number = 9;
        Boxed boxed = new Boxed();
        boxed.id = 0L;

        upsert(alone);
        upsert(embedded);
        upsert(paired);
        upsert(boxed);

        sessions().inSession(session -> {
            assertThat(session.find(Alone.class, 7L)).isNotNull();
            assertThat(session.find(Embedded.class, new Key(8, 1))).isNotNull();
            assertThat(session.find(Paired.class, new Pair(9, 1))).isNotNull();
            assertThat(session.find(Boxed.class, 0L)).isNotNull();
        });
    }
}
