// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.await;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Resources;
import org.snowflakeid.tck.Node;

/** A call whose caller has stopped waiting, on a connection that a pool lends to another next. */
class GivenUpCallTest {

    /** Lends one connection, and notes what becomes of it. */
    private static final class Lender implements Resources {
        final List<String> seen = new CopyOnWriteArrayList<>();
        private final CountDownLatch givenBack = new CountDownLatch(1);
        private final Connection lent;
        private volatile @Nullable Thread borrower;

        Lender() throws SQLException {
            lent = DriverManager.getConnection("jdbc:h2:mem:" + Node.freshNamespace());
        }

        private Connection lend() {
            borrower = Thread.currentThread();
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        switch (method.getName()) {
                            case "close" -> {
                                seen.add("given back");
                                givenBack.countDown();
                                return null;
                            }
                            case "abort" -> {
                                Thread call = requireNonNull(borrower);
                                if (!Thread.currentThread().equals(call)) {
                                    // As late as a busy machine may let a thread come that was just started.
                                    await(
                                            Node.PATIENCE,
                                            () -> isGivenBack() || call.getState() == Thread.State.BLOCKED);
                                }
                                seen.add("aborted");
                                return null;
                            }
                            default -> {
                                try {
                                    return method.invoke(lent, arguments);
                                } catch (InvocationTargetException e) {
                                    throw e.getCause();
                                }
                            }
                        }
                    });
        }

        boolean isGivenBack() {
            return givenBack.getCount() == 0;
        }

        @Override
        public <T> Optional<T> find(Class<T> type, @Nullable String name) {
            return Optional.of(type.cast(Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (proxy, method, arguments) -> method.getName().equals("getConnection") ? lend() : null)));
        }
    }

    // the pool lent it to the application, under which it was closed then; and Agroal takes it back at each abort
    @Test
    void abortsItsConnectionOnceAndBeforeItGivesItBack() throws Exception {
        Lender lender = new Lender();

        giveUp(lender);

        await(Node.PATIENCE, () -> lender.isGivenBack() && noThreadIsAboutToAbort());
        assertThat(lender.seen).containsExactly("aborted", "given back");
    }

    private static boolean noThreadIsAboutToAbort() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Arrays::stream)
                .noneMatch(frame -> frame.getClassName().startsWith(SharedDatabase.class.getName())
                        && frame.getMethodName().contains("abort"));
    }

    /** Its caller is interrupted, and only then it comes to its end. */
    private static void giveUp(Resources lender) throws InterruptedException {
        Map<String, String> keys = Map.of(JdbcSettings.IN_MEMORY.name(), "allow");
        JdbcSettings settings = new JdbcSettings(
                new CoordinatorConfig("orders", "snowflake", Duration.ofSeconds(60), keys::get, lender));
        var loan = SharedDatabase.ALL.loan(settings.access());
        SharedDatabase shared = requireNonNull(loan.get());
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch given = new CountDownLatch(1);
        List<JdbcFailure> failures = new CopyOnWriteArrayList<>();
        Thread caller = new Thread(() -> {
            try {
                String unused = shared.call(settings, Node.TIMEOUT, call -> {
                    begun.countDown();
                    awaitUninterruptibly(given);
                    return "too late";
                });
            } catch (JdbcFailure e) {
                failures.add(e);
            }
        });
        caller.start();
        begun.await();

        caller.interrupt();
        caller.join();
        assertThat(failures).hasSize(1);
        given.countDown();
        loan.close();
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError("threads of calls are never interrupted", e);
        }
    }
}
