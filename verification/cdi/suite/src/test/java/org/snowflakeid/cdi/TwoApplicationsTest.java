// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.io.Serializable;
import java.util.Map;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.Readiness;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;

/** Two containers in one process, of which {@code CDI.current()} knows one at the most. */
class TwoApplicationsTest {

    @BeforeEach
    void forgetEarlierTests() {
        RecordingCoordinatorProvider.JOURNAL.clear();
    }

    @Dependent
    @SuppressWarnings("serial")
    static class Shop implements Serializable {
        private static final long serialVersionUID = 1L;

        @Inject
        Snowflake ids;
    }

    private static Map<String, Object> readiness(Application application) {
        return application
                .container()
                .select(HealthCheck.class, Readiness.Literal.INSTANCE)
                .get()
                .call()
                .getData()
                .orElseThrow();
    }

    @Test
    void eachShowsItsOwnGenerators() {
        try (Application first = Application.with("snowflake.namespace=first").of(Shop.class);
                Application second =
                        Application.with("snowflake.namespace=second").of(Shop.class)) {
            assertThat(first.get(Shop.class).ids.status().namespace()).isEqualTo("first");
            assertThat(second.get(Shop.class).ids.status().namespace()).isEqualTo("second");

            assertThat(readiness(first)).containsEntry("default.namespace", "first");
            assertThat(readiness(second)).containsEntry("default.namespace", "second");
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL)
                .containsExactlyInAnyOrder("claimed first", "claimed second", "released second", "released first");
    }

    @Test
    void eachReadsItsOwnPassivatedBeans() throws Exception {
        try (Application first = Application.with("snowflake.namespace=first").of(Shop.class);
                Application second =
                        Application.with("snowflake.namespace=second").of(Shop.class)) {
            Snowflake ofFirst = first.get(Shop.class).ids;
            Snowflake ofSecond = second.get(Shop.class).ids;

            assertThat(Passivated.and(ofFirst)).isSameAs(ofFirst);
            assertThat(Passivated.and(ofSecond)).isSameAs(ofSecond);
        }
    }
}
