// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.spring.SnowflakeAutoConfiguration;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;

/** A context that Spring has prepared ahead of time (AOT), as for a native image, has the same generators. */
class AheadOfTimeTest {

    private static <C extends GenericApplicationContext> C configured(C context) {
        return configured(context, "snowflake.generators.orders.worker-id-bits", "4");
    }

    private static <C extends GenericApplicationContext> C configured(C context, String key, String value) {
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "settings",
                        Map.of(
                                "snowflake.coordinator",
                                "memory",
                                "snowflake.memory.store",
                                "ahead-of-time",
                                key,
                                value)));
        return context;
    }

    @Test
    @CompileWithForkedClassLoader
    @SuppressWarnings("unchecked") // Of the class that is generated.
    void generatorsWithAndWithoutANameAreThere() {
        AnnotationConfigApplicationContext source = configured(new AnnotationConfigApplicationContext());
        source.register(SnowflakeAutoConfiguration.class, Shop.class);
        TestGenerationContext generated = new TestGenerationContext(AheadOfTimeTest.class);
        var unused = new ApplicationContextAotGenerator().processAheadOfTime(source, generated);
        generated.writeGeneratedContent();

        TestCompiler.forSystem().with(generated).compile(compiled -> {
            Snowflake orders;
            try (GenericApplicationContext context = configured(new GenericApplicationContext())) {
                compiled.getInstance(ApplicationContextInitializer.class).initialize(context);
                context.refresh();
                Shop shop = context.getBean(Shop.class);
                orders = shop.orderIds();

                assertThat(shop.ids().status().generator()).isEqualTo("default");
                assertThat(orders.status().generator()).isEqualTo("orders");
                assertThat(orders.layout().workerIdBits()).isEqualTo(4);
                assertThat(orders.nextId()).isPositive();
                assertThat(context.getBean(Snowflake.class)).isSameAs(shop.ids());
                assertThat(context.getBeansOfType(LeasedSnowflake.class)).hasSize(2);
            }
            assertThat(orders.status().state()).isEqualTo(State.CLOSED);
        });
    }

    // it started without the second one
    @Test
    @CompileWithForkedClassLoader
    @SuppressWarnings("unchecked") // Of the class that is generated.
    void aGeneratorThatOnlyTheStartNamesStopsIt() {
        AnnotationConfigApplicationContext source =
                configured(new AnnotationConfigApplicationContext(), "snowflake.claim-at-start", "default");
        source.register(SnowflakeAutoConfiguration.class);
        TestGenerationContext generated = new TestGenerationContext(AheadOfTimeTest.class);
        var unused = new ApplicationContextAotGenerator().processAheadOfTime(source, generated);
        generated.writeGeneratedContent();

        TestCompiler.forSystem().with(generated).compile(compiled -> {
            try (GenericApplicationContext context =
                    configured(new GenericApplicationContext(), "snowflake.claim-at-start", "default,orders")) {
                compiled.getInstance(ApplicationContextInitializer.class).initialize(context);

                assertThatThrownBy(context::refresh)
                        .isInstanceOf(InvalidSettingsException.class)
                        .hasMessageContaining("snowflake 'orders': snowflake.claim-at-start names this generator");
            }
        });
    }
}
