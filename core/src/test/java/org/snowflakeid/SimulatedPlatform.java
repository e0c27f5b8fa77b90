// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import org.jspecify.annotations.Nullable;
import org.snowflakeid.Accidents.Place;
import org.snowflakeid.VirtualWorld.Machine;
import org.snowflakeid.config.Settings;
import org.snowflakeid.resume.ResumeDirectory;

/** The machine as one generator sees it: it is watched, and the generator's own threads have accidents. */
final class SimulatedPlatform implements Platform, ResumeDirectory.Host {

    private final Machine machine;
    private final Watch watch;
    private final @Nullable Accidents accidents;

    SimulatedPlatform(Machine machine, Watch watch, @Nullable Accidents accidents) {
        this.machine = machine;
        this.watch = watch;
        this.accidents = accidents;
    }

    private void mayFail(Place place) {
        if (accidents != null && !machine.isLookedAt() && watch.isOwnThread()) {
            accidents.mayHappen(place);
        }
    }

    @Override
    public long wallMillis() {
        mayFail(Place.CLOCK);
        boolean own = watch.isOwnThread();
        if (own && !machine.isLookedAt()) {
            watch.steps.ownThreadLooks();
        }
        long wall = machine.wallMillis();
        if (!own) {
            watch.steps.callLooks(wall);
        }
        return wall;
    }

    @Override
    public long nanoTime() {
        mayFail(Place.CLOCK);
        return machine.nanoTime();
    }

    @Override
    public void park(long nanos) {
        mayFail(Place.PARK);
        machine.park(nanos);
    }

    @Override
    public void awaitNextMillis() {
        machine.awaitNextMillis();
    }

    @Override
    public void unpark(Thread thread) {
        machine.unpark(thread);
    }

    @Override
    public Thread start(String name, Runnable task) {
        if (accidents != null) {
            accidents.mayHappen(Place.THREAD_START);
        }
        return machine.start(name, () -> run(name, task));
    }

    private void run(String name, Runnable task) {
        watch.threadBegins();
        try {
            task.run();
            watch.threadEnds(name, null);
        } catch (RuntimeException | Error e) {
            watch.threadEnds(name, e);
        }
    }

    @Override
    public ResumeDirectory resumeDirectory(Settings settings) {
        return watch.process.disk.usedBy(machine);
    }

    @Override
    public boolean isProcess(String name) {
        return machine.isProcess(name);
    }

    @Override
    public void beforeCheckpoint() {
        machine.beforeCheckpoint();
    }

    @Override
    public String process() {
        return machine.process();
    }

    @Override
    public long randomLong() {
        mayFail(Place.RANDOM);
        if (!machine.isBeingCopied()) {
            watch.process.run.rim.requireRandomness(machine);
        }
        return machine.randomLong();
    }
}
