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
 * The threads by which a coordinator reaches its servers: daemons, which have the class loader of their application as context, and inherit
 * no thread locals, since servers of applications keep transactions there. A server that ends an application takes its classes away then:
 * so a coordinator that ends waits until none of its threads runs.
 */
public final class ApplicationThreads {

    /** How long a coordinator that ends waits for them. */
    public static final Duration LONGEST_END = Duration.ofSeconds(2);

    private final @Nullable ClassLoader application;

    /** Held weakly: one that could not be started never ends. */
    private final Set<Thread> all = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** @param application what the threads have as context class loader */
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
            // Not that of the thread which happens to need it.
            thread.setPriority(Thread.NORM_PRIORITY);
            all.removeIf(other -> other.getState() == Thread.State.TERMINATED);
            all.add(thread);
            return thread;
        };
    }

    /** How many there are. */
    public int count() {
        return running().size();
    }

    private List<Thread> running() {
        synchronized (all) {
            return all.stream().filter(Thread::isAlive).toList();
        }
    }

    /** Waits until none of them runs, but no longer than that. An interrupt ends the wait, and is kept. */
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
