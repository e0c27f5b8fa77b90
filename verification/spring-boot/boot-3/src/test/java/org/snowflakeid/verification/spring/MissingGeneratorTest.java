// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.Snowflake;
import org.snowflakeid.spring.SnowflakeAutoConfiguration;
import org.snowflakeid.testing.TestSnowflake;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A generator that is wanted by its name and configured nowhere. */
@ExtendWith(OutputCaptureExtension.class)
class MissingGeneratorTest {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(SnowflakeAutoConfiguration.class)
    static class InConstructor {
        InConstructor(@Qualifier("invoices") Snowflake ids) {}
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(SnowflakeAutoConfiguration.class)
    static class InField {
        @Autowired
        @Qualifier("invoices")
        Snowflake ids;
    }

    @Configuration(proxyBeanMethods = false)
    static class OfAnotherType {
        OfAnotherType(@Qualifier("invoices") Runnable task) {}
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(SnowflakeAutoConfiguration.class)
    static class TwoOfThem {
        TwoOfThem(@Qualifier("invoices") Snowflake ids) {}

        @Bean
        @Qualifier("invoices")
        static Snowflake one() {
            return TestSnowflake.workerId(1);
        }

        @Bean
        @Qualifier("invoices")
        static TestSnowflake other() {
            return TestSnowflake.workerId(2);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(SnowflakeAutoConfiguration.class)
    static class OfNoGeneratorsName {
        OfNoGeneratorsName(@Qualifier("invoiceIds") Snowflake ids) {}
    }

    private static void run(Class<?> application, String... settings) {
        new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .registerShutdownHook(false)
                .run(Stream.concat(Stream.of("--snowflake.coordinator=memory"), Stream.of(settings))
                        .toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(classes = {InConstructor.class, InField.class})
    void theReportSaysWhatToSet(Class<?> application, CapturedOutput output) {
        assertThatThrownBy(() -> run(application)).hasRootCauseInstanceOf(NoSuchBeanDefinitionException.class);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("snowflake 'invoices': nothing configures this generator, which is wanted by ")
                .contains(application.getName())
                .contains("Set snowflake.claim-at-start=default,invoices")
                .doesNotContain("Consider defining a bean");
    }

    @Configuration(proxyBeanMethods = false)
    static class OfASlice {
        OfASlice(@Qualifier("invoices") Snowflake ids) {}
    }

    // it said to set what was set
    @Test
    void theTestOfASliceIsToldToHaveABean(CapturedOutput output) {
        assertThatThrownBy(() -> run(OfASlice.class, "--snowflake.claim-at-start=default,invoices"))
                .hasRootCauseInstanceOf(NoSuchBeanDefinitionException.class);

        assertThat(output)
                .contains("snowflake 'invoices': this context has no generators, as in the test of a slice")
                .contains(OfASlice.class.getName())
                .contains("Give the context a bean of type Snowflake with @Qualifier(\"invoices\")")
                .doesNotContain("claim-at-start");
    }

    // it said that there is none, and what to set for one more
    @Test
    void whereThereAreTwoSpringSaysSo(CapturedOutput output) {
        assertThatThrownBy(() -> run(TwoOfThem.class)).hasRootCauseInstanceOf(NoUniqueBeanDefinitionException.class);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("@Primary")
                .doesNotContain("claim-at-start");
    }

    // the next start refused what it had said to set
    @Test
    void aNameThatNoGeneratorCanHaveIsToBeChanged(CapturedOutput output) {
        assertThatThrownBy(() -> run(OfNoGeneratorsName.class))
                .hasRootCauseInstanceOf(NoSuchBeanDefinitionException.class);

        assertThat(output)
                .contains("snowflake 'invoiceIds': nothing configures this generator")
                .contains("a generator's name is lower-case letters")
                .contains("Rename it.")
                .doesNotContain("claim-at-start");
    }

    @Test
    void otherBeansThatAreMissingAreLeftToSpring(CapturedOutput output) {
        assertThatThrownBy(() -> run(OfAnotherType.class)).hasRootCauseInstanceOf(NoSuchBeanDefinitionException.class);

        assertThat(output).contains("APPLICATION FAILED TO START").doesNotContain("snowflake 'invoices'");
    }
}
