// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Inject;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;

class RefusalTest {

    @BeforeEach
    void forgetEarlierTests() {
        RecordingCoordinatorProvider.JOURNAL.clear();
    }

    @Dependent
    static class Shop {
        @Inject
        Snowflake ids;

        @Inject
        @SnowflakeName("orders")
        Snowflake orders;
    }

    @Test
    void reportsAllProblemsOfAllGeneratorsTogether() {
        assertThatThrownBy(() -> Application.with(
                                "snowflake.window=60",
                                "snowflake.clock.on-rollback=panic",
                                "snowflake.generators.orders.epoch=yesterday")
                        .of(Shop.class))
                .hasStackTraceContaining("snowflake 'default': snowflake.window=60 ")
                .hasStackTraceContaining("snowflake 'default': snowflake.clock.on-rollback=panic ")
                .hasStackTraceContaining("snowflake 'orders': snowflake.generators.orders.epoch=yesterday ");
        assertThat(RecordingCoordinatorProvider.JOURNAL).isEmpty();
    }

    @Test
    void refusesTwoGeneratorsOnOneNamespace() {
        assertThatThrownBy(() -> Application.with("snowflake.generators.orders.namespace=snowflake")
                        .of(Shop.class))
                .hasStackTraceContaining(
                        "snowflake 'orders': namespace 'snowflake' is that of generator 'default' too");
        assertThat(RecordingCoordinatorProvider.JOURNAL).isEmpty();
    }

    @Dependent
    static class OrdersOnly {
        @Inject
        @SnowflakeName("orders")
        Snowflake orders;
    }

    @Test
    void aNamespaceIsFreeIfTheGeneratorItBelongsToIsNotUsed() {
        try (Application application = Application.with("snowflake.generators.orders.namespace=snowflake")
                .of(OrdersOnly.class)) {
            assertThat(application.get(OrdersOnly.class).orders.status().namespace())
                    .isEqualTo("snowflake");

            assertThatThrownBy(() -> CDI.current().select(Snowflake.class).get())
                    .hasStackTraceContaining(
                            "snowflake 'default': namespace 'snowflake' is that of generator 'orders' too");
        }
    }

    @Dependent
    static class Misnamed {
        @Inject
        @SnowflakeName("My_Orders")
        Snowflake ids;
    }

    @Test
    void refusesANameThatCannotBeConfigured() {
        assertThatThrownBy(() -> Application.of(Misnamed.class)).hasStackTraceContaining("snowflake 'My_Orders'");
    }

    @Test
    void stopsTheDeploymentIfAClaimFailsAndKeepsNoOther() {
        assertThatThrownBy(() ->
                        Application.with("recording.broken=snowflake/orders").of(Shop.class))
                .hasStackTraceContaining("recording.broken=snowflake/orders: no access");
        assertThat(RecordingCoordinatorProvider.JOURNAL).containsExactly("claimed snowflake", "released snowflake");
    }

    @Test
    void takesABlankValueForNone() {
        try (Application application =
                Application.with("snowflake.window=", "snowflake.epoch= ").of(Shop.class)) {
            assertThat(application.get(Shop.class).ids.nextId()).isPositive();
        }
    }

    @Test
    void namesTheKeyOfAnExpressionThatCannotBeResolved() {
        assertThatThrownBy(() ->
                        Application.with("snowflake.namespace=${nowhere.set}").of(Shop.class))
                .hasStackTraceContaining("snowflake 'default': snowflake.namespace=${nowhere.set} refers to");
    }

    @Test
    void showsNoSecretBesideAnExpressionThatCannotBeResolved() {
        assertThatThrownBy(() -> Application.with(
                                "snowflake.recording.url=jdbc:postgresql://${DB_HOST}/ids?user=a&password=hunter2",
                                "snowflake.recording.password=hun${ter2}")
                        .of(Shop.class))
                .hasStackTraceContaining(
                        "snowflake.recording.url=jdbc:postgresql://${DB_HOST}/ids?*** refers to a property")
                .hasStackTraceContaining(
                        "snowflake.recording.password=(not shown) refers to a property that is not set")
                .satisfies(e -> {
                    StringWriter all = new StringWriter();
                    e.printStackTrace(new PrintWriter(all));
                    assertThat(all.toString()).doesNotContain("hunter2", "hun$", "ter2");
                });
        assertThat(RecordingCoordinatorProvider.JOURNAL).isEmpty();
    }

    @Test
    void usesTheCoordinatorThatIsNamed() {
        try (Application application = Application.with("snowflake.coordinator=static", "snowflake.static.worker-id=7")
                .of(Shop.class)) {
            assertThat(application.get(Shop.class).ids.status().workerId()).hasValue(7);
        }
        assertThat(RecordingCoordinatorProvider.JOURNAL).isEmpty();
    }
}
