// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.stat.Statistics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.cdi.ReferencedGenerator;
import org.snowflakeid.testing.TestSnowflake;
import org.snowflakeid.verification.jpa.EntityApplication;
import org.snowflakeid.verification.jpa.EntityStep;
import org.snowflakeid.verification.jpa.HibernatePurchase;
import org.springframework.beans.BeanWrapper;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

/** Entities in repositories of Spring Data. */
class EntityTest {

    private static final int MANY = 1_000;

    /** Else beans of the application that take a generator without a qualifier would fail first. */
    private static final String LAZY = "spring.main.lazy-initialization=true";

    @Test
    void eachAttributeHasTheIdOfItsGenerator() {
        try (RunningApplication application = RunningApplication.start("snowflake.generators.orders.worker-ids=21")) {
            Purchase saved = application.context().getBean(Purchases.class).save(Purchase.of("tea"));

            Snowflake ids = application.context().getBean(Snowflake.class);
            assertThat(ids.layout().decode(saved.id).workerId())
                    .isEqualTo(ids.status().workerId().orElseThrow());
            assertThat(ids.layout()
                            .decode(SnowflakeFormat.CROCKFORD.parse(saved.number))
                            .workerId())
                    .isEqualTo(21);
            assertThat(saved.id).isLessThan(ids.nextId());
        }
    }

    /** Hibernate is still at it when all else is made. */
    @Configuration(proxyBeanMethods = false)
    static class SlowDatabase {
        @Bean
        static BeanPostProcessor slowness() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof DataSource database ? new Slow(database) : bean;
                }
            };
        }
    }

    private static final class Slow extends DelegatingDataSource {
        private final AtomicBoolean slow = new AtomicBoolean(true);

        Slow(DataSource database) {
            super(database);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (slow.getAndSet(false)) {
                LockSupport.parkNanos(Duration.ofSeconds(2).toNanos());
            }
            return super.getConnection();
        }
    }

    // the start hung on Spring 6.1: Hibernate waited for Spring's lock, and the thread that held it for Hibernate
    @ParameterizedTest
    @CsvSource({"deferred, true", "lazy, false"})
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whereHibernateStartsOnAThreadOfItsOwnEachAttributeHasItsIdToo(String mode, boolean lazy) {
        try (RunningApplication application = RunningApplication.start(
                "spring.main.sources=" + SlowDatabase.class.getName(),
                "spring.data.jpa.repositories.bootstrap-mode=" + mode,
                "spring.main.lazy-initialization=" + lazy,
                "snowflake.claim-at-start=default",
                "snowflake.generators.orders.worker-ids=21")) {
            Purchase saved = application.context().getBean(Purchases.class).save(Purchase.of("tea"));

            SnowflakeLayout layout =
                    application.context().getBean(Snowflake.class).layout();
            assertThat(layout.decode(SnowflakeFormat.CROCKFORD.parse(saved.number))
                            .workerId())
                    .isEqualTo(21);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnOrders {
        @Bean
        @Qualifier("orders")
        static Snowflake orderIds() {
            return TestSnowflake.workerId(22);
        }
    }

    @Test
    void aBeanThatReplacesOrdersGivesNoIdsOfDefault() {
        try (RunningApplication application = RunningApplication.start(
                "spring.main.sources=" + OwnOrders.class.getName(), "snowflake.worker-ids=21")) {
            Purchase saved = application.context().getBean(Purchases.class).save(Purchase.of("tea"));

            SnowflakeLayout layout = TestSnowflake.workerId(22).layout();
            assertThat(layout.decode(saved.id).workerId()).isEqualTo(21);
            assertThat(layout.decode(SnowflakeFormat.CROCKFORD.parse(saved.number))
                            .workerId())
                    .isEqualTo(22);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnDefault {
        @Bean
        @Qualifier("default")
        @Scope(proxyMode = ScopedProxyMode.INTERFACES)
        static Snowflake defaultIds() {
            return TestSnowflake.workerId(21);
        }
    }

    @Test
    void beansWithTheQualifiersDefaultAndOrdersReplaceBoth() {
        try (RunningApplication application = RunningApplication.start(
                "spring.main.sources=" + OwnDefault.class.getName() + "," + OwnOrders.class.getName(), LAZY)) {
            Purchase saved = application.context().getBean(Purchases.class).save(Purchase.of("tea"));

            SnowflakeLayout layout = TestSnowflake.workerId(22).layout();
            assertThat(layout.decode(saved.id).workerId()).isEqualTo(21);
            assertThat(layout.decode(SnowflakeFormat.CROCKFORD.parse(saved.number))
                            .workerId())
                    .isEqualTo(22);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryOrders {
        @Bean
        @Primary
        @Qualifier("orders")
        static Snowflake orderIds() {
            return TestSnowflake.workerId(22);
        }
    }

    @Test
    void anEntityOfDefaultGetsNoIdsOfAPrimaryBeanForOrders() {
        try (RunningApplication application = RunningApplication.start(
                "spring.main.sources=" + PrimaryOrders.class.getName(), "snowflake.worker-ids=21", LAZY)) {
            Purchase saved = application.context().getBean(Purchases.class).save(Purchase.of("tea"));

            assertThat(TestSnowflake.workerId(22).layout().decode(saved.id).workerId())
                    .isEqualTo(21);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnWithoutQualifier {
        @Bean
        static Snowflake fixed() {
            return TestSnowflake.workerId(21);
        }
    }

    @Test
    void twoBeansThatMayBeDefaultAreReportedWithARemedyThatHelps() {
        String own = OwnWithoutQualifier.class.getName() + "," + OwnOrders.class.getName();

        assertThatThrownBy(() -> RunningApplication.start("spring.main.sources=" + own, LAZY)
                        .close())
                .hasStackTraceContaining("snowflake 'default': an entity names this generator, and the application")
                .hasStackTraceContaining("found 2: fixed,orderIds")
                .hasStackTraceContaining("Mark the one that is meant with @Primary or @Qualifier(\"default\").");
    }

    @Configuration(proxyBeanMethods = false)
    static class UnitThatIsWantedEarly {
        @Bean
        static BeanPostProcessor wantsTheUnit(EntityManagerFactory unit) {
            return new BeanPostProcessor() {};
        }
    }

    @Test
    void aUnitThatAPostProcessorWantsHasTheGeneratorsToo() {
        try (RunningApplication application =
                RunningApplication.start("spring.main.sources=" + UnitThatIsWantedEarly.class.getName())) {
            assertThat(application.context().getBean(Purchases.class).save(Purchase.of("tea")).id)
                    .isPositive();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnSessions {
        @Bean
        static FactoryBean<SessionFactory> entityManagerFactory(DataSource database) {
            BeanWrapper sessions = new BeanWrapperImpl(sessionFactoryBean());
            sessions.setPropertyValue("dataSource", database);
            sessions.setPropertyValue("annotatedClasses", new Class<?>[] {Purchase.class, Ticket.class});
            sessions.setPropertyValue("hibernateProperties", "hibernate.hbm2ddl.auto=create");
            @SuppressWarnings("unchecked") // that of either package
            FactoryBean<SessionFactory> bean = (FactoryBean<SessionFactory>) sessions.getWrappedInstance();
            return bean;
        }

        /** It moved from one Spring to the next. */
        private static Class<?> sessionFactoryBean() {
            String before = "org.springframework.orm.hibernate5.LocalSessionFactoryBean";
            String now = "org.springframework.orm.jpa.hibernate.LocalSessionFactoryBean";
            ClassLoader loader = OwnSessions.class.getClassLoader();
            return ClassUtils.resolveClassName(ClassUtils.isPresent(now, loader) ? now : before, loader);
        }
    }

    @Test
    void aSessionFactoryOfSpringHasTheGeneratorsToo() {
        try (RunningApplication application =
                RunningApplication.start("spring.main.sources=" + OwnSessions.class.getName())) {
            assertThat(application.context().getBean(Purchases.class).save(Purchase.of("tea")).id)
                    .isPositive();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoUnits {
        @Bean
        @Primary
        static LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource database) {
            return unit("first", database);
        }

        @Bean
        static LocalContainerEntityManagerFactoryBean secondUnit(DataSource database) {
            return unit("second", database);
        }

        private static LocalContainerEntityManagerFactoryBean unit(String name, DataSource database) {
            var unit = new LocalContainerEntityManagerFactoryBean();
            unit.setPersistenceUnitName(name);
            unit.setDataSource(database);
            unit.setPackagesToScan(EntityTest.class.getPackageName());
            unit.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            unit.setJpaPropertyMap(Map.of("hibernate.hbm2ddl.auto", "update"));
            return unit;
        }
    }

    @Test
    void eachOfTwoPersistenceUnitsHasTheGenerators() {
        try (RunningApplication application = RunningApplication.start(
                "spring.main.sources=" + TwoUnits.class.getName(), "snowflake.worker-ids=21")) {
            SnowflakeLayout layout =
                    application.context().getBean(Snowflake.class).layout();
            Purchase first = application.context().getBean(Purchases.class).save(Purchase.of("tea"));
            Purchase second = Purchase.of("coffee");

            EntityManager entities = application
                    .context()
                    .getBean("secondUnit", EntityManagerFactory.class)
                    .createEntityManager();
            entities.getTransaction().begin();
            entities.persist(second);
            entities.getTransaction().commit();
            entities.close();

            assertThat(layout.decode(first.id).workerId()).isEqualTo(21);
            assertThat(layout.decode(second.id).workerId()).isEqualTo(21);
            assertThat(second.id).isGreaterThan(first.id);
            assertThat(second.number).isGreaterThan(first.number);
        }
    }

    @Test
    void manyEntitiesAreInsertedInBatches() {
        try (RunningApplication application = RunningApplication.start(
                "spring.jpa.properties.hibernate.jdbc.batch_size=50",
                "spring.jpa.properties.hibernate.generate_statistics=true")) {
            Statistics statistics = application
                    .context()
                    .getBean(EntityManagerFactory.class)
                    .unwrap(SessionFactory.class)
                    .getStatistics();
            long before = statistics.getPrepareStatementCount();

            List<Purchase> purchases = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                purchases.add(Purchase.of("tea " + i));
            }
            Purchases repository = application.context().getBean(Purchases.class);
            repository.saveAll(purchases);

            assertThat(purchases)
                    .extracting(purchase -> purchase.id)
                    .doesNotContainNull()
                    .doesNotHaveDuplicates();
            assertThat(repository.count()).isEqualTo(MANY);
            // One for all inserts, or one for each batch; one by one they would be as many as there are entities.
            assertThat(statistics.getPrepareStatementCount() - before).isLessThan(MANY / 10);
        }
    }

    @Test
    void manyEntitiesWithUuidsAreInsertedInBatchesToo() {
        try (RunningApplication application = RunningApplication.start(
                "spring.jpa.properties.hibernate.jdbc.batch_size=50",
                "spring.jpa.properties.hibernate.generate_statistics=true",
                "snowflake.generators.orders.worker-ids=21")) {
            Statistics statistics = application
                    .context()
                    .getBean(EntityManagerFactory.class)
                    .unwrap(SessionFactory.class)
                    .getStatistics();
            Tickets repository = application.context().getBean(Tickets.class);
            long before = statistics.getPrepareStatementCount();

            List<Ticket> tickets = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                tickets.add(Ticket.of("seat " + i));
            }
            repository.saveAll(tickets);

            SnowflakeLayout layout =
                    application.context().getBean(Snowflake.class).layout();
            assertThat(tickets)
                    .extracting(ticket -> layout.id(ticket.id))
                    .isSorted()
                    .doesNotHaveDuplicates();
            assertThat(tickets)
                    .extracting(ticket -> layout.decode(layout.id(ticket.id)).workerId())
                    .containsOnly(21);
            assertThat(repository.findById(tickets.get(7).id))
                    .hasValueSatisfying(found -> assertThat(found.seat).isEqualTo("seat 7"));
            assertThat(repository.count()).isEqualTo(MANY);
            assertThat(statistics.getPrepareStatementCount() - before).isLessThan(MANY / 10);
        }
    }

    @Test
    void anIdThatIsThereIsKept() {
        try (RunningApplication application = RunningApplication.start()) {
            Purchases repository = application.context().getBean(Purchases.class);
            Purchase imported = Purchase.of("old tea");
            imported.id = 42L;

            assertThat(repository.save(imported).id).isEqualTo(42L);
            assertThat(repository.findById(42L)).isPresent();
        }
    }

    @Test
    void whatIsDoneOnEveryRuntimeWorks() {
        try (RunningApplication application = RunningApplication.start(
                "spring.main.sources=" + EntitiesOfEveryRuntime.class.getName(),
                "spring.jpa.properties.hibernate.jdbc.batch_size=500",
                "snowflake.claim-at-start=default,orders,purchases")) {
            EntityApplication entities = new EntityApplication() {
                @Override
                public void transact(Consumer<EntityManager> work) {
                    EntityManager shared = SharedEntityManagerCreator.createSharedEntityManager(
                            application.context().getBean(EntityManagerFactory.class));
                    new TransactionTemplate(application.context().getBean(PlatformTransactionManager.class))
                            .executeWithoutResult(status -> work.accept(shared));
                }

                @Override
                public Snowflake generator(String name) {
                    return name.equals("default")
                            ? application.context().getBean(Snowflake.class)
                            : BeanFactoryAnnotationUtils.qualifiedBeanOfType(
                                    application.context().getBeanFactory(), Snowflake.class, name);
                }
            };

            assertThat(EntityStep.values()).allSatisfy(step -> step.run(entities, HibernatePurchase::new));
        }
    }

    @Test
    void aWrongSettingOfAGeneratorThatOnlyEntitiesNameStopsTheStart() {
        assertThatThrownBy(() -> RunningApplication.start(
                                "spring.main.sources=" + EntitiesOfEveryRuntime.class.getName(),
                                "snowflake.claim-at-start=default,orders",
                                "snowflake.generators.purchases.window=a minute")
                        .close())
                .hasStackTraceContaining(
                        "snowflake 'purchases': snowflake.generators.purchases.window=a minute is not ");
    }

    @Test
    void whatNeedsCdiSaysWhatToUseInstead() {
        assertThatThrownBy(() -> new ReferencedGenerator("default", "field id of Row").nextId())
                .isInstanceOf(SnowflakeException.class)
                .hasMessageContaining("no id for field id of Row, because there is no CDI container")
                .hasMessageContaining("snowflake-hibernate with snowflake-spring-boot-starter");
    }

    @Test
    void twoApplicationsInOneProcessHaveEachTheirOwnIds() {
        try (RunningApplication one = RunningApplication.start("snowflake.worker-ids=1");
                RunningApplication other = RunningApplication.start("snowflake.worker-ids=2")) {
            assertThat(workerIdOfAPurchase(one)).isEqualTo(1);
            assertThat(workerIdOfAPurchase(other)).isEqualTo(2);
        }
    }

    private static int workerIdOfAPurchase(RunningApplication application) {
        Purchase saved = application.context().getBean(Purchases.class).save(Purchase.of("tea"));
        return application
                .context()
                .getBean(Snowflake.class)
                .layout()
                .decode(saved.id)
                .workerId();
    }
}
