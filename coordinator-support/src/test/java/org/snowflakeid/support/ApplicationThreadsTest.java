// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.snowflakeid.spi.Deadline;

class ApplicationThreadsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final InheritableThreadLocal<String> OF_THE_SERVER = new InheritableThreadLocal<>();

    private final ClassLoader application = new ClassLoader(null) {};
    private final ApplicationThreads threads = new ApplicationThreads(application);

    @Test
    void theyAreDaemonsOfTheApplicationThatInheritNothing() {
        OF_THE_SERVER.set("transaction");
        AtomicReference<@Nullable String> inherited = new AtomicReference<>("not run");
        Thread thread = threads.named("snowflake-test").newThread(() -> inherited.set(OF_THE_SERVER.get()));
        thread.start();
        threads.awaitEnd(Deadline.after(PATIENCE));

        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getName()).isEqualTo("snowflake-test");
        assertThat(thread.getContextClassLoader()).isIn(application, null);
        assertThat(inherited.get()).isNull();
        OF_THE_SERVER.remove();
    }

    @Test
    void waitsForThoseThatTheLastOnesStart() {
        List<String> ended = new ArrayList<>();
        Thread first = threads.named("first").newThread(() -> {
            Thread second = threads.named("second").newThread(() -> ended.add("second"));
            ended.add("first");
            second.start();
        });
        first.start();

        threads.awaitEnd(Deadline.after(PATIENCE));

        assertThat(ended).containsExactly("first", "second");
        assertThat(threads.count()).isZero();
    }

    @Test
    void waitsNoLongerThanItMayAndNotAtAllForOneThatWasNotStarted() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        Thread unused = threads.named("never started").newThread(() -> {});
        Thread waiting = threads.named("waiting").newThread(() -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        waiting.start();

        threads.awaitEnd(Deadline.after(Duration.ofMillis(50)));

        assertThat(threads.count()).isEqualTo(1);
        Thread.currentThread().interrupt();
        threads.awaitEnd(Deadline.after(PATIENCE));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(waiting.isAlive()).isTrue();
        end.countDown();
        waiting.join(TimeUnit.MINUTES.toMillis(1));
        assertThat(threads.count()).isZero();
    }
}
