// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.concurrent.ContextService;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.naming.Context;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeEvent;
import org.snowflakeid.SnowflakeEvent.Claimed;

class ServerContextTest {

    private static final Claimed CLAIMED = new Claimed("default", 7);

    /** What the current thread has of its server. */
    private static final ThreadLocal<String> CONTEXT = ThreadLocal.withInitial(() -> "none");

    private final List<String> contexts = new CopyOnWriteArrayList<>();

    @BeforeEach
    void haveNaming() {
        System.setProperty(Context.INITIAL_CONTEXT_FACTORY, TestNaming.class.getName());
    }

    @AfterEach
    void forgetServer() {
        System.clearProperty(Context.INITIAL_CONTEXT_FACTORY);
        TestNaming.NAMES.remove();
        CONTEXT.remove();
    }

    private void observe(SnowflakeEvent event) {
        contexts.add(CONTEXT.get());
    }

    /** The current thread becomes one of a server. */
    private static void haveContext(String context) {
        CONTEXT.set(context);
        TestNaming.NAMES
                .get()
                .put(
                        "java:comp/DefaultContextService",
                        Proxy.newProxyInstance(
                                ContextService.class.getClassLoader(),
                                new Class<?>[] {ContextService.class},
                                (service, method, arguments) -> contextual(CONTEXT.get(), (Executor) arguments[0])));
    }

    private static Executor contextual(String context, Executor executor) {
        return task -> {
            String before = CONTEXT.get();
            CONTEXT.set(context);
            try {
                executor.execute(task);
            } finally {
                CONTEXT.set(before);
            }
        };
    }

    private static Thread deliver(Consumer<SnowflakeEvent> listener) {
        Thread delivering = new Thread(null, () -> listener.accept(CLAIMED), "delivering", 0, false);
        delivering.start();
        return delivering;
    }

    private static void awaitWaiting(Thread thread) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(System.nanoTime()).as(thread::toString).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void callsObserversAfterTheStartOfTheWebApplicationAndWithItsContext() throws Exception {
        ServerContext server = new ServerContext(Duration.ofDays(1));
        haveContext("before names are bound");
        Thread delivering = deliver(server.surround(this::observe));
        awaitWaiting(delivering);
        assertThat(contexts).isEmpty();

        haveContext("web application");
        server.webApplicationStarted();
        delivering.join();

        assertThat(contexts).containsExactly("web application");
    }

    @Test
    void callsObserversWithTheContextOfTheClaimWhereNoWebApplicationStarts() throws Exception {
        haveContext("claim");
        Consumer<SnowflakeEvent> listener = new ServerContext(Duration.ofMillis(1)).surround(this::observe);

        deliver(listener).join();
        deliver(listener).join();

        assertThat(contexts).containsExactly("claim", "claim");
    }

    @Test
    void callsObserversAtOnceWhereTheServerHasNoContextToGive() {
        Consumer<SnowflakeEvent> listener = new ServerContext(Duration.ofDays(1)).surround(this::observe);

        listener.accept(CLAIMED);

        assertThat(contexts).containsExactly("none");
    }

    @Test
    void givesAGeneratorThatAThreadOfTheApplicationOpensTheContextOfItsWebApplication() throws Exception {
        ServerContext server = new ServerContext(Duration.ofDays(1));
        haveContext("web application");
        server.webApplicationStarted();

        Thread own = new Thread(null, () -> server.surround(this::observe).accept(CLAIMED), "own", 0, false);
        own.start();
        own.join();

        assertThat(contexts).containsExactly("web application");
    }

    @Test
    void callsNoObserverOfAnApplicationThatEndsBeforeItHasStarted() throws Exception {
        ServerContext server = new ServerContext(Duration.ofDays(1));
        haveContext("claim");
        Thread delivering = deliver(server.surround(this::observe));
        awaitWaiting(delivering);

        server.end();
        delivering.join();

        assertThat(contexts).isEmpty();
    }

    @Dependent
    static class User {
        @Inject
        Snowflake ids;
    }

    @Test
    @SuppressWarnings("ThreadPriorityCheck") // as a deployer does it
    void threadsHaveNormalPriorityWhateverDeploys() {
        Thread deployer = Thread.currentThread();
        int before = deployer.getPriority();
        deployer.setPriority(Thread.MIN_PRIORITY);
        try (Application application = Application.of(User.class)) {
            assertThat(application.get(User.class).ids.nextId()).isPositive();
            assertThat(deployer.getPriority()).isEqualTo(Thread.MIN_PRIORITY);
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().startsWith("snowflake-default"))
                    .isNotEmpty()
                    .extracting(Thread::getPriority)
                    .containsOnly(Thread.NORM_PRIORITY);
        } finally {
            deployer.setPriority(before);
        }
    }
}
