// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedTest {
    private static final class Connection {
        private final AtomicInteger ends = new AtomicInteger();
    }

    private final AtomicInteger begun = new AtomicInteger();
    private final Shared<String, Connection> shared = new Shared<>(
            (access, threads) -> {
                begun.incrementAndGet();
                return new Connection();
            },
            connection -> connection.ends.incrementAndGet());

    @Test
    void equalAccessIsOneConnectionUntilTheLastIsClosed() {
        var one = shared.loan("a");
        var same = shared.loan("a");
        var other = shared.loan("b");
        Connection connection = requireNonNull(one.get());

        assertThat(same.get()).isSameAs(connection).isNotSameAs(other.get());
        one.close();
        one.close();
        assertThat(connection.ends).hasValue(0);
        assertThat(same.get()).isSameAs(connection);
        same.close();

        assertThat(connection.ends).hasValue(1);
        assertThat(shared.loan("a").get()).isNotSameAs(connection);
    }

    @Test
    void applicationsShareNothing() {
        ClassLoader application = new ClassLoader(null) {};

        assertThat(shared.loan("a", application).get())
                .isSameAs(shared.loan("a", application).get())
                .isNotSameAs(shared.loan("a").get());
    }

    @Test
    void whatIsNeverAskedForIsNeverThere() {
        var loan = shared.loan("a");

        assertThat(loan.present()).isNull();
        loan.close();

        assertThat(loan.get()).isNull();
        assertThat(begun).hasValue(0);
    }

    @Test
    void whatIsClosedHasNothingAnyMore() {
        var loan = shared.loan("a");
        Connection connection = loan.get();

        assertThat(loan.present()).isSameAs(connection);
        loan.close();

        assertThat(loan.present()).isNull();
        assertThat(loan.get()).isNull();
    }

    @Test
    void theNextMayBeginWhileTheLastEnds() {
        List<Connection> next = new ArrayList<>();
        List<Shared<String, Connection>> itself = new ArrayList<>();
        Shared<String, Connection> ending = new Shared<>(
                (access, threads) -> new Connection(),
                connection -> next.add(itself.get(0).loan("a").get()));
        itself.add(ending);
        var loan = ending.loan("a");
        Connection last = loan.get();

        loan.close();

        assertThat(next).doesNotContainNull().hasSize(1).doesNotContain(last);
    }

    @Test
    void whatCannotBeginIsTriedAgain() {
        AtomicInteger attempts = new AtomicInteger();
        Shared<String, Connection> failing = new Shared<>(
                (access, threads) -> {
                    if (attempts.incrementAndGet() == 1) {
                        throw new IllegalStateException("planted");
                    }
                    return new Connection();
                },
                connection -> connection.ends.incrementAndGet());
        var loan = failing.loan("a");

        assertThatThrownBy(loan::get).hasMessage("planted");
        Connection connection = requireNonNull(loan.get());
        loan.close();

        assertThat(connection.ends).hasValue(1);
    }

    /** Of all who borrow and give back at once, none has one that has ended, and each one ends once. */
    @Test
    void noneEndsWhileItIsUsed() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            Callable<List<Connection>> user = () -> {
                List<Connection> seen = new ArrayList<>();
                for (int i = 0; i < 5_000; i++) {
                    try (var loan = shared.loan("a")) {
                        Connection connection = requireNonNull(loan.get());
                        assertThat(connection.ends.get()).isZero();
                        seen.add(connection);
                    }
                }
                return seen;
            };
            for (Future<List<Connection>> end : threads.invokeAll(List.of(user, user, user, user))) {
                assertThat(end.get()).allSatisfy(connection -> assertThat(connection.ends.get())
                        .isEqualTo(1));
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
