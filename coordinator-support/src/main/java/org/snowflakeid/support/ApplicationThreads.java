// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.spi.Deadline;

/**
 * The threads by which a coordinator reaches its servers: daemons, whose context class loader is that of their application. They inherit no thread
 * locals, where application servers keep transactions. An application server that stops an application unloads its classes: so a coordinator that
 * ends waits until none of its threads runs.
 */
public final class ApplicationThreads {

    /** How long a coordinator that ends waits for them. */
    public static final Duration LONGEST_END = Duration.ofSeconds(2);

    private final @Nullable ClassLoader application;

    /** Held weakly: a thread that could not be started never ends. */
    private final Set<Thread> all = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** @param application the context class loader of the threads */
    public ApplicationThreads(@Nullable ClassLoader application) {
        this.application = application;
    }

    public ThreadFactory named(String name) {
        return named(name, (task, called) -> new Thread(null, task, called, 0, false));
    }

    /** @param kind makes a thread of a task and a name, where a library wants threads of its own kind */
    @SuppressWarnings("ThreadPriorityCheck") // the one that any thread begins with
    public ThreadFactory named(String name, BiFunction<Runnable, String, ? extends Thread> kind) {
        return task -> {
            Thread thread = kind.apply(task, name);
            thread.setDaemon(true);
            thread.setContextClassLoader(application);
            // Not the priority of the thread that happens to need it.
            thread.setPriority(Thread.NORM_PRIORITY);
            all.removeIf(other -> other.getState() == Thread.State.TERMINATED);
            all.add(thread);
            return thread;
        };
    }

    /** How many of them run. */
    public int count() {
        return running().size();
    }

    private List<Thread> running() {
        synchronized (all) {
            return all.stream().filter(Thread::isAlive).toList();
        }
    }

    /** Waits until none of them runs, or the deadline has passed. An interrupt ends the wait, and the thread's flag stays set. */
    public void awaitEnd(Deadline deadline) {
        try {
            for (List<Thread> left = running(); !left.isEmpty() && deadline.nanosLeft() > 0; left = running()) {
                // A millisecond at least: zero means for ever.
                left.get(0).join(TimeUnit.NANOSECONDS.toMillis(deadline.nanosLeft()) + 1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
