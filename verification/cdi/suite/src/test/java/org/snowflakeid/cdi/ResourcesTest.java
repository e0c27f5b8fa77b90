// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Objects;
import javax.naming.NamingException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;

/** Which of the application's resources a coordinator finds. */
class ResourcesTest {

    private static final DataSource UNNAMED = dataSource("unnamed");
    private static final DataSource ORDERS = dataSource("orders");
    private static final DataSource OF_THE_SERVER = dataSource("of the server");

    @SuppressWarnings("ReferenceEquality") // of which there is one each
    private static DataSource dataSource(String name) {
        return (DataSource) Proxy.newProxyInstance(
                ResourcesTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "toString" -> name;
                    case "getLoginTimeout" -> 0;
                    case "hashCode" -> name.hashCode();
                    case "equals" -> proxy == arguments[0];
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @BeforeEach
    @AfterEach
    void forget() {
        RecordingCoordinatorProvider.dataSource = null;
        TestNaming.NAMES.remove();
    }

    @Dependent
    static class User {
        @Inject
        Snowflake ids;
    }

    @ApplicationScoped
    static class DataSources {
        @Produces
        @Singleton
        DataSource unnamed() {
            return UNNAMED;
        }

        @Produces
        @Singleton
        @Named("orders")
        DataSource orders() {
            return ORDERS;
        }
    }

    @ApplicationScoped
    static class OneMore {
        @Produces
        @Singleton
        DataSource other() {
            return ORDERS;
        }
    }

    @ApplicationScoped
    static class Failing {
        @Produces
        @Singleton
        DataSource failing() {
            throw new IllegalStateException("its driver is missing");
        }
    }

    @ApplicationScoped
    static class OneForEach {
        @Produces
        DataSource make() {
            return UNNAMED;
        }

        void close(@Disposes DataSource pool) {
            RecordingCoordinatorProvider.JOURNAL.add("closed " + pool);
        }
    }

    // it was never closed
    @Test
    void aDataSourceOfItsOwnIsClosedAfterTheWorkerIdWasGivenBack() {
        RecordingCoordinatorProvider.JOURNAL.clear();
        try (Application application =
                Application.with("recording.data-source=-").of(User.class, OneForEach.class)) {
            assertThat(application.get(User.class).ids.nextId()).isPositive();
        }

        assertThat(RecordingCoordinatorProvider.JOURNAL)
                .containsExactly("claimed snowflake", "released snowflake", "closed unnamed");
    }

    @ApplicationScoped
    static class OneOfTheApplication {
        @Produces
        @ApplicationScoped
        DataSource make() {
            RecordingCoordinatorProvider.JOURNAL.add("made");
            return UNNAMED;
        }

        void close(@Disposes DataSource pool) {
            RecordingCoordinatorProvider.JOURNAL.add("closed");
        }
    }

    // it was never closed
    @Test
    void aDataSourceThatIsMadeAnewForTheReleaseIsClosed() throws SQLException {
        RecordingCoordinatorProvider.JOURNAL.clear();
        try (Application application =
                Application.with("recording.data-source=-").of(User.class, OneOfTheApplication.class)) {
            assertThat(application.get(User.class).ids.nextId()).isPositive();
            assertThat(Objects.requireNonNull(RecordingCoordinatorProvider.dataSource)
                            .getLoginTimeout())
                    .isZero();
        }

        assertThat(RecordingCoordinatorProvider.JOURNAL)
                .startsWith("claimed snowflake", "made")
                .contains("released snowflake");
        assertThat(Collections.frequency(RecordingCoordinatorProvider.JOURNAL, "closed"))
                .isEqualTo(Collections.frequency(RecordingCoordinatorProvider.JOURNAL, "made"));
    }

    private static String found(String name, Class<?>... beans) {
        Class<?>[] all = new Class<?>[beans.length + 1];
        all[0] = User.class;
        System.arraycopy(beans, 0, all, 1, beans.length);
        try (Application application = Application.with("recording.data-source=" + name, TestNaming.FACTORY)
                .of(all)) {
            assertThat(application.get(User.class).ids.nextId()).isPositive();
            return String.valueOf(RecordingCoordinatorProvider.dataSource);
        }
    }

    @Test
    void aBeanWithoutAQualifierIsTheDefault() {
        assertThat(found("-", DataSources.class)).isEqualTo("unnamed");
    }

    @Test
    void aBeanIsFoundByItsName() {
        TestNaming.NAMES.get().put("orders", OF_THE_SERVER);

        assertThat(found("orders", DataSources.class)).isEqualTo("orders");
    }

    @Test
    void aNameOfTheServerIsFoundAsItIsAndBelowTheComponents() {
        TestNaming.NAMES.get().put("java:app/jdbc/ids", OF_THE_SERVER);
        assertThat(found("java:app/jdbc/ids", DataSources.class)).isEqualTo("of the server");

        TestNaming.NAMES.get().put("java:comp/env/jdbc/ids", ORDERS);
        assertThat(found("jdbc/ids")).isEqualTo("orders");

        TestNaming.NAMES.get().put("jdbc/ids", UNNAMED);
        assertThat(found("jdbc/ids")).isEqualTo("unnamed");
    }

    @Test
    void nothingIsFoundWhereThereIsNothing() {
        assertThat(found("-")).isEqualTo("null");
        assertThat(found("unknown", DataSources.class)).isEqualTo("null");
        // Nor elsewhere than here.
        TestNaming.NAMES.get().put("ldap://somewhere/else", OF_THE_SERVER);
        assertThat(found("ldap://somewhere/else")).isEqualTo("null");
    }

    @Test
    void severalThatCouldBeMeantStopTheDeployment() {
        assertThatThrownBy(() -> found("-", DataSources.class, OneMore.class))
                .hasMessageContaining("snowflake 'default': there are several beans of type javax.sql.DataSource")
                .hasMessageContaining("@Named");
    }

    @Test
    void whatIsThereAndCanNotBeObtainedStopsTheDeployment() {
        TestNaming.NAMES.get().put("java:app/jdbc/ids", "a text");
        assertThatThrownBy(() -> found("java:app/jdbc/ids"))
                .hasMessageContaining("'java:app/jdbc/ids' is in JNDI a java.lang.String, and no javax.sql.DataSource");

        TestNaming.NAMES.get().put("java:app/jdbc/ids", new NamingException("its pool does not start"));
        assertThatThrownBy(() -> found("java:app/jdbc/ids"))
                .hasMessageContaining("'java:app/jdbc/ids' could not be obtained from JNDI: ")
                .hasMessageContaining("its pool does not start");

        assertThatThrownBy(() -> found("-", Failing.class))
                .hasMessageContaining("the bean ")
                .hasMessageContaining(" could not be obtained: ")
                .hasMessageContaining("its driver is missing");
    }
}
