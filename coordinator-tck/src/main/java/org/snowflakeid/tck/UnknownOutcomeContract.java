// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.rejected;
import static org.snowflakeid.tck.Node.unique;
import static org.snowflakeid.tck.Node.unknown;

import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;

/**
 * What a coordinator promises of a write whose answer is lost: it says that the outcome is unknown, in time, and sends the write no second
 * time.
 */
public abstract class UnknownOutcomeContract {
    private static final Duration SHORT = Duration.ofSeconds(3);

    /** A machine that is slow may be too late to send the write. */
    private static final int ATTEMPTS = 10;

    private static final int ID = 3;

    /** Between one of the processes and the server. */
    public interface Network extends AutoCloseable {

        /** From the next write on that has these letters in what it writes, answers wait until {@link #pass()}. */
        void holdAnswersFrom(String letters);

        /** How many such writes have been sent since. */
        long writesSent();

        /** Closes all connections. */
        void cut();

        /** From now on all passes; what was held is delivered. Harmless if nothing is held. */
        void pass();

        @Override
        void close();
    }

    private final String namespace = Node.freshNamespace();
    private @Nullable Node node;
    private @Nullable Node other;
    private @Nullable Stored meta;

    /** A process that reaches the server over the network, which the test holds up and cuts. */
    protected abstract Node overTheNetwork(String namespace);

    /** A process that reaches the server by itself. */
    protected abstract Node beside(String namespace);

    protected abstract Network network();

    /** What is said of an answer that did not come in time. */
    protected abstract String late();

    /** What is said of a connection that broke before the answer. */
    protected abstract String broken();

    @BeforeEach
    final void createMeta() {
        node = overTheNetwork(namespace);
        other = beside(namespace);
        meta = node.createMeta();
    }

    @AfterEach
    final void closeAll() {
        network().pass();
        node().close();
        other().close();
        network().close();
    }

    private Node node() {
        return Objects.requireNonNull(node);
    }

    private Node other() {
        return Objects.requireNonNull(other);
    }

    private Stored meta() {
        return Objects.requireNonNull(meta);
    }

    /** A write that is known by its letters. */
    private static final class Attempted {
        final String letters = UUID.randomUUID().toString().replace("-", "");
        final String mark = "limit=1 token=" + letters;
        final String owner = "o token=x";

        boolean stands(Slot slot) {
            Stored there = slot.mark();
            return there != null && there.value().equals(mark);
        }
    }

    private CasResult claim(int id, Attempted attempted, Duration timeout) {
        return node().coordinator.claim(id, null, attempted.mark, attempted.owner, false, meta(), timeout);
    }

    /** Strikes once the server has done the write, and its answer is held. */
    private CasResult during(int id, Attempted attempted, Supplier<CasResult> write, Runnable strike)
            throws InterruptedException, ExecutionException, TimeoutException {
        network().holdAnswersFrom(attempted.letters);
        CompletableFuture<CasResult> result =
                CompletableFuture.supplyAsync(write, task -> new Thread(task, "caller").start());
        await(PATIENCE, () -> result.isDone() || attempted.stands(other().slot(id)));
        strike.run();
        return result.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    public final void claimWhoseAnswerIsHeldIsUnknownAndCanBeAdopted() throws Exception {
        CasResult claim = null;
        int id = ID;
        Attempted attempted = new Attempted();
        long start = System.nanoTime();
        for (int attempt = 0; claim == null && attempt < ATTEMPTS; attempt++) {
            int claimed = ++id;
            Attempted now = new Attempted();
            attempted = now;
            start = System.nanoTime();
            try {
                CasResult result = during(claimed, now, () -> claim(claimed, now, SHORT), () -> {});
                claim = attempted.stands(other().slot(claimed)) ? result : null;
            } catch (ExecutionException e) {
                assertThat(e.getCause()).isInstanceOf(CoordinatorException.class);
                assertThat(other().slot(claimed).mark()).isNull();
            }
            if (claim == null) {
                network().pass();
            }
        }
        CoordinatorException cause = unknown(Objects.requireNonNull(claim)).cause();
        Slot seen = other().slot(id);
        network().pass();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(SHORT.minusMillis(100));
        assertThat(cause).hasMessageContaining(late());
        assertThat(cause.permanent()).isFalse();
        assertThat(seen.owner()).isEqualTo(attempted.owner);
        await(PATIENCE, node()::answers);
        assertThat(node().slot(id)).isEqualTo(seen);
        CasResult extended = node().coordinator
                .extend(id, Objects.requireNonNull(seen.mark()), unique("limit=2"), attempted.owner, meta(), TIMEOUT);
        assertThat(applied(extended).ownerHeld()).isTrue();
    }

    @Test
    public final void claimWhoseConnectionIsCutBeforeTheAnswerIsUnknownAtOnceAndNotSentAgain() throws Exception {
        Attempted attempted = new Attempted();

        // Sent again, it would be rejected.
        CasResult claim = during(ID, attempted, () -> claim(ID, attempted, PATIENCE), network()::cut);
        network().pass();

        assertThat(unknown(claim).cause()).hasMessageContaining(broken());
        assertThat(unknown(claim).cause().permanent()).isFalse();
        Slot seen = other().slot(ID);
        assertThat(attempted.stands(seen)).isTrue();
        assertThat(seen.owner()).isEqualTo(attempted.owner);
        assertThat(network().writesSent()).isEqualTo(1);
        await(PATIENCE, node()::answers);
        assertThat(rejected(claim(ID, new Attempted(), TIMEOUT)).seen()).isEqualTo(seen);
        node().coordinator.abandon(ID, attempted.owner, TIMEOUT);
        await(PATIENCE, () -> other().slot(ID).owner() == null);
        assertThat(other().slot(ID)).isEqualTo(new Slot(ID, seen.mark(), null));
    }

    @Test
    public final void extensionWhoseConnectionIsCutBeforeTheAnswerShowsItsBytesWhenItIsSentAgain() throws Exception {
        Stored mark = node().claim(ID);
        String owner = node().owner(ID);
        Attempted attempted = new Attempted();
        Supplier<CasResult> extension =
                () -> node().coordinator.extend(ID, mark, attempted.mark, owner, meta(), PATIENCE);

        unknown(during(ID, attempted, extension, network()::cut));
        network().pass();
        assertThat(network().writesSent()).isEqualTo(1);
        await(PATIENCE, node()::answers);
        Slot seen = Objects.requireNonNull(rejected(extension.get()).seen());

        assertThat(attempted.stands(seen)).isTrue();
        assertThat(applied(node().extend(ID, Objects.requireNonNull(seen.mark())))
                        .ownerHeld())
                .isTrue();
    }

    @Test
    public final void anInterruptLeavesTheOutcomeUnknownAtOnceAndKeepsTheFlag() throws Exception {
        Attempted attempted = new Attempted();
        AtomicReference<Thread> caller = new AtomicReference<>();
        AtomicBoolean flag = new AtomicBoolean();
        Supplier<CasResult> claim = () -> {
            caller.set(Thread.currentThread());
            CasResult result = claim(ID, attempted, PATIENCE);
            flag.set(Thread.currentThread().isInterrupted());
            return result;
        };

        CasResult result = during(
                ID, attempted, claim, () -> Objects.requireNonNull(caller.get()).interrupt());
        network().pass();

        assertThat(unknown(result).cause()).hasMessageContaining("interrupted");
        assertThat(unknown(result).cause().permanent()).isFalse();
        assertThat(flag).isTrue();
        await(PATIENCE, node()::answers);
        assertThat(attempted.stands(other().slot(ID))).isTrue();
    }
}
