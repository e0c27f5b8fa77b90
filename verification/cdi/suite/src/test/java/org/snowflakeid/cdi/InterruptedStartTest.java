// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.inject.Inject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;

/** A server that gives a start up interrupts its thread. */
class InterruptedStartTest {

    @AfterEach
    void interruptNoMore() {
        boolean unused = Thread.interrupted();
        RecordingCoordinatorProvider.down = false;
    }

    @Dependent
    static class Shop {
        @Inject
        Snowflake ids;
    }

    /** After what the container does itself on threads of its own: it would not get so far. */
    static final class Impatience implements Extension {
        void interrupt(@Observes AfterDeploymentValidation event) {
            Thread.currentThread().interrupt();
        }
    }

    // The claim must not be faster than the look at the interrupt.
    @BeforeEach
    void letNoClaimSucceed() {
        RecordingCoordinatorProvider.down = true;
    }

    @Test
    void saysThatItWasInterruptedAndLeavesTheThreadInterrupted() {
        assertThatThrownBy(() -> Application.with().extendedBy(new Impatience()).of(Shop.class))
                .hasStackTraceContaining("DeploymentException: snowflake 'default': ")
                .hasStackTraceContaining("interrupted");
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }
}
