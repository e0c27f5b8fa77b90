// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/** Delegates to another platform, except where a test overrides a method. */
class DelegatingPlatform implements Platform {

    private final Platform other;

    DelegatingPlatform(Platform other) {
        this.other = other;
    }

    @Override
    public long wallMillis() {
        return other.wallMillis();
    }

    @Override
    public long nanoTime() {
        return other.nanoTime();
    }

    @Override
    public void park(long nanos) {
        other.park(nanos);
    }

    @Override
    public void awaitNextMillis() {
        other.awaitNextMillis();
    }

    @Override
    public void unpark(Thread thread) {
        other.unpark(thread);
    }

    @Override
    public Thread start(String name, Runnable task) {
        return other.start(name, task);
    }

    @Override
    public String process() {
        return other.process();
    }

    @Override
    public boolean isProcess(String name) {
        return other.isProcess(name);
    }

    @Override
    public void beforeCheckpoint() {
        other.beforeCheckpoint();
    }

    @Override
    public long randomLong() {
        return other.randomLong();
    }
}
