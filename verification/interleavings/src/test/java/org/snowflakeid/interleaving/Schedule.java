// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.interleaving;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** One run of a scenario: its threads, whose turn it is, and its time, which stands still unless the scenario moves it. */
public final class Schedule {

    /** Only one thread in the whole process runs a schedule at any moment. */
    static volatile Schedule present;

    private final Interleavings search;
    private final List<Task> tasks = new ArrayList<>();
    private final List<String> steps = new ArrayList<>();
    private final Memory memory = new Memory();
    private final IdentityHashMap<Object, Monitor> monitors = new IdentityHashMap<>();
    private volatile Task turn;
    private volatile boolean over;
    private Thread controller;
    private Scenario scenario;
    private boolean interleaving;
    private boolean timePasses;
    private int deviations;
    private long nanos = 1_000_000_000L;
    private String violation;

    Schedule(Interleavings search) {
        this.search = search;
    }

    private static final class Monitor {
        Task owner;
        int entered;
    }

    private final class Task {
        final String name;
        final Thread thread;
        final boolean actor;
        boolean started;
        boolean done;
        final int number = tasks.size();
        Monitor awaited;
        boolean parked;
        boolean permit;
        long wakeNanos;

        Task(String name, Runnable work, boolean actor) {
            this.name = name;
            this.actor = actor;
            this.thread = Thread.ofVirtual().name(name).unstarted(() -> live(this, work));
        }

        boolean canRun() {
            return !done
                    && (awaited == null || awaited.owner == null)
                    && (!parked || permit || thread.isInterrupted() || wakeNanos <= nanos);
        }
    }

    // ---- for scenarios

    /** A thread that takes part and has to return. It begins when {@link Scenario#begin} has returned. */
    public Thread actor(String name, Runnable work) {
        return add(name, work, true);
    }

    /** Whether a waiting thread's time-out may pass once nothing else can go on. If not, that is a violation. */
    public void timePasses() {
        timePasses = true;
    }

    public long nanoTime() {
        return nanos;
    }

    public void advance(long byNanos) {
        point("time passes");
        nanos += byNanos;
    }

    /** A thread that begins at once and runs until the end of the run. */
    public Thread start(String name, Runnable work) {
        return add(name, work, false);
    }

    public void park(long forNanos) {
        point("park");
        Task me = turn;
        if (!me.permit && !me.thread.isInterrupted()) {
            me.parked = true;
            me.wakeNanos = nanos + Math.max(0, forNanos);
            handOver(me);
            me.parked = false;
        }
        me.permit = false;
    }

    public void unpark(Thread thread) {
        point("unpark");
        for (Task task : tasks) {
            if (task.thread.equals(thread)) {
                task.permit = true;
            }
        }
    }

    public void interrupt(Thread thread) {
        point("interrupt");
        thread.interrupt();
    }

    // ---- the run

    private Thread add(String name, Runnable work, boolean actor) {
        Task task = new Task(name, work, actor);
        tasks.add(task);
        memory.begins(task.number, turn.number);
        return task.thread;
    }

    String run(Scenario scenarioToRun) {
        scenario = scenarioToRun;
        controller = Thread.currentThread();
        present = this;
        Task begin = new Task("begin", () -> scenario.begin(this), false);
        tasks.add(begin);
        give(begin);
        while (!over) {
            LockSupport.park(this);
        }
        present = null;
        if (violation == null) {
            try {
                scenario.end();
            } catch (RuntimeException | Error e) {
                violation = String.valueOf(e);
            }
        }
        return violation == null ? null : Interleavings.describe(steps, violation);
    }

    private void live(Task me, Runnable work) {
        try {
            awaitTurn(me);
            work.run();
        } catch (RuntimeException | Error e) {
            finish(me.name + " ended by " + e);
            return;
        }
        me.done = true;
        if (!interleaving && tasks.get(0) == me) {
            interleaving = true;
            tasks.stream().filter(task -> task.actor).forEach(task -> memory.begins(task.number, me.number));
        }
        Task next = next();
        if (next != null) {
            give(next);
        }
    }

    void point(String where) {
        if (over) {
            vanish();
        }
        if (!interleaving) {
            return;
        }
        Task me = turn;
        steps.add(me.name + ": " + where);
        if (deviations == search.maxDeviations()) {
            return;
        }
        int others = 0;
        for (Task task : tasks) {
            if (task != me && mayRun(task)) {
                others++;
            }
        }
        int choice = search.choose(1 + others);
        if (choice == 0) {
            return;
        }
        deviations++;
        for (Task task : tasks) {
            if (task != me && mayRun(task) && --choice == 0) {
                give(task);
                awaitTurn(me);
                return;
            }
        }
        throw new IllegalStateException("no thread to go on");
    }

    Memory memory() {
        return memory;
    }

    void access(Object owner, String field, boolean write) {
        int other = over ? -1 : memory.access(owner, field, write);
        if (other >= 0) {
            finish(field + " is used by " + tasks.get(other).name + " and " + turn.name
                    + ", and neither happens before the other: a data race");
            vanish();
        }
    }

    void enter(Object monitor) {
        Monitor wanted = monitors.computeIfAbsent(monitor, key -> new Monitor());
        if (wanted.owner != turn) {
            point("enter " + monitor.getClass().getSimpleName());
            Task me = turn;
            while (wanted.owner != null) {
                me.awaited = wanted;
                handOver(me);
                me.awaited = null;
            }
            wanted.owner = me;
            memory.acquire(monitor, "monitor");
        }
        wanted.entered++;
    }

    void exit(Object monitor) {
        Monitor mine = monitors.get(monitor);
        if (!over && --mine.entered == 0) {
            mine.owner = null;
            memory.release(monitor, "monitor");
        }
    }

    /** The run is over, and what this thread was about to do is of no interest. Throwing would be seen by the code under test. */
    private static void vanish() {
        while (true) {
            boolean unused = Thread.interrupted();
            LockSupport.park();
        }
    }

    /** Actors begin when all is prepared. */
    private boolean mayRun(Task task) {
        return (interleaving || !task.actor) && task.canRun();
    }

    private void handOver(Task me) {
        Task next = next();
        if (next != me) {
            if (next != null) {
                give(next);
            }
            awaitTurn(me);
        }
    }

    /** The task that goes on after one that can't; null if the run is over. */
    private Task next() {
        List<Task> ready = new ArrayList<>();
        for (Task task : tasks) {
            if (mayRun(task)) {
                ready.add(task);
            }
        }
        if (ready.isEmpty()) {
            boolean allReturned = interleaving && tasks.stream().allMatch(task -> task.done || !task.actor);
            if (allReturned) {
                finish(null);
                return null;
            }
            if (interleaving && !timePasses) {
                finish("no thread can go on: "
                        + tasks.stream()
                                .filter(task -> !task.done)
                                .map(task -> task.name)
                                .toList() + " wait");
                return null;
            }
            Task earliest = null;
            for (Task task : tasks) {
                if (!task.done && task.parked && (earliest == null || task.wakeNanos < earliest.wakeNanos)) {
                    earliest = task;
                }
            }
            if (earliest == null) {
                finish("a deadlock");
                return null;
            }
            nanos = earliest.wakeNanos;
            return earliest;
        }
        if (!interleaving || deviations == search.maxDeviations()) {
            return ready.get(0);
        }
        int choice = search.choose(ready.size());
        if (choice > 0) {
            deviations++;
        }
        return ready.get(choice);
    }

    private void give(Task next) {
        turn = next;
        memory.run(next.number);
        if (next.started) {
            LockSupport.unpark(next.thread);
        } else {
            next.started = true;
            next.thread.start();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // an interrupted thread can't park
    private void awaitTurn(Task me) {
        while (turn != me) {
            if (over) {
                vanish();
            }
            if (me.thread.isInterrupted()) {
                Thread.yield();
            } else {
                LockSupport.park(this);
            }
        }
    }

    private void finish(String what) {
        if (!over) {
            violation = what;
            interleaving = false;
            turn = null;
            over = true;
            LockSupport.unpark(controller);
        }
    }
}
