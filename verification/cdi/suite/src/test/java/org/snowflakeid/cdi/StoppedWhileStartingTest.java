// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;

/** A process that is told to end, in a container that does not hear of it before it has started. Helidon is one. */
class StoppedWhileStartingTest {

    @Dependent
    static class Shop {
        @Inject
        Snowflake ids;
    }

    @ApplicationScoped
    static class Port {
        void open(@Observes @Initialized(ApplicationScoped.class) @Priority(9000) Object start) {
            if (Boolean.getBoolean("stopped.while.starting")) {
                // What SIGTERM does too.
                System.exit(0);
            }
        }
    }

    /** The process. */
    static final class Main {
        public static void main(String[] args) {
            Application unused = Application.of(Shop.class, Port.class);
            System.exit(0);
        }
    }

    private static List<String> journal(boolean whileStarting) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-Djournal.printed=true",
                        "-Dorg.jboss.weld.se.shutdownHook=false",
                        "-Dstopped.while.starting=" + whileStarting,
                        Main.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.contains("claimed ") || line.contains("released "))
                    .toList();
        } finally {
            process.destroyForcibly();
        }
    }

    // the owner entry stayed until its window ended
    @Test
    void givesItsWorkerIdsBack() throws Exception {
        assertThat(journal(true)).containsExactly("claimed snowflake", "released snowflake");
    }

    /** Else requests that are still answered would get no ids. */
    @Test
    void leavesThemToTheContainerOnceThatHasStarted() throws Exception {
        assertThat(journal(false)).containsExactly("claimed snowflake");
    }
}
