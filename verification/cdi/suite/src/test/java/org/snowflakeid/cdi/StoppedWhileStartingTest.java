// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Startup;
import jakarta.inject.Inject;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
            exitIf("stopped at port");
        }
    }

    @ApplicationScoped
    static class Cache {
        void fill(@Observes Startup start) {
            exitIf("stopped at cache");
        }
    }

    @Dependent
    static class Orders {
        @Inject
        @SnowflakeName("orders")
        Snowflake ids;
    }

    private static void exitIf(String fate) {
        if (System.getProperty("fate").equals(fate)) {
            // What SIGTERM does too.
            System.exit(0);
        }
    }

    /** The process. */
    static final class Main {
        public static void main(String[] args) throws ReflectiveOperationException {
            boolean fails = System.getProperty("fate").equals("failed");
            RecordingCoordinatorProvider.incompleteAfterAClaim = fails;
            try {
                Application unused = Application.of(Shop.class, fails ? Orders.class : Port.class, Cache.class);
            } catch (RuntimeException | Error e) {
                System.out.println("failed and left hooks: " + hooks());
            }
            System.exit(0);
        }

        /** How many of ours wait for the end of the process, and keep a container in memory until then. */
        private static long hooks() throws ReflectiveOperationException {
            Field hooks = Class.forName("java.lang.ApplicationShutdownHooks").getDeclaredField("hooks");
            hooks.setAccessible(true);
            return ((Map<?, ?>) hooks.get(null))
                    .keySet().stream()
                            .filter(hook -> ((Thread) hook).getName().startsWith("snowflake-stop"))
                            .count();
        }
    }

    private static List<String> journal(String fate) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-Djournal.printed=true",
                        "-Dorg.jboss.weld.se.shutdownHook=false",
                        "-Dfate=" + fate,
                        Main.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line ->
                            line.contains("claimed ") || line.contains("released ") || line.contains("failed and"))
                    .toList();
        } finally {
            process.destroyForcibly();
        }
    }

    // the owner entry stayed until its window ended
    @ParameterizedTest
    @ValueSource(strings = {"stopped at port", "stopped at cache"})
    void givesItsWorkerIdsBack(String fate) throws Exception {
        assertThat(journal(fate)).containsExactly("claimed snowflake", "released snowflake");
    }

    /** Else requests that are still answered would get no ids. */
    @Test
    void leavesThemToTheContainerOnceThatHasStarted() throws Exception {
        assertThat(journal("started")).containsExactly("claimed snowflake");
    }

    // each attempt of a program that tries again kept its container in memory
    @Test
    void leavesNothingBehindIfAClaimFails() throws Exception {
        assertThat(journal("failed"))
                .containsExactly("claimed snowflake", "released snowflake", "failed and left hooks: 0");
    }
}
