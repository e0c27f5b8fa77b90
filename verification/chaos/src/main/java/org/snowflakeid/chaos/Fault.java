// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.time.Duration;

/**
 * Something that goes wrong, and when.
 *
 * @param at since the beginning of the faults
 * @param lasts until it is undone; zero: there is nothing to undo
 * @param target number of a worker, member or worker id, as the kind says; -1 if the kind says it all
 * @param amount milliseconds for {@link Kind#STEP_CLOCK}; a member for faults of connections, -1 for all
 */
record Fault(int number, Duration at, Duration lasts, Kind kind, int target, long amount) {

    /** What a fault's number means. */
    enum Target {
        WORKER,
        MEMBER,
        WORKER_ID,
        CLUSTER
    }

    enum Kind {
        FREEZE_WORKER(Target.WORKER, "worker frozen (SIGSTOP, SIGCONT)"),
        KILL_WORKER(Target.WORKER, "worker killed (SIGKILL), a new one started"),
        CLOSE_WORKER(Target.WORKER, "generator closed and opened again"),
        STEP_CLOCK(Target.WORKER, "worker's wall clock stepped, and back"),
        HOLD_REPLIES(Target.WORKER, "replies to a worker held, then delivered"),
        FREEZE_CONNECTIONS(Target.WORKER, "connections of a worker frozen"),
        CUT_CONNECTIONS(Target.WORKER, "connections of a worker cut"),
        EXPIRE_OWNER(Target.WORKER_ID, "lease or session of an owner ended by the server"),
        DELETE_OWNER(Target.WORKER_ID, "owner entry deleted"),
        FREEZE_MEMBER(Target.MEMBER, "member frozen (SIGSTOP, SIGCONT)"),
        KILL_MEMBER(Target.MEMBER, "member killed (SIGKILL) and started again"),
        RESTART_MEMBER(Target.MEMBER, "member stopped (SIGTERM) and started again"),
        KILL_LEADER(Target.CLUSTER, "leader killed (SIGKILL) and started again"),
        FREEZE_LEADER(Target.CLUSTER, "leader frozen (SIGSTOP, SIGCONT)"),
        FREEZE_QUORUM(Target.CLUSTER, "quorum lost: all members but one frozen"),
        KILL_QUORUM(Target.CLUSTER, "quorum lost: all members but one killed");

        final Target target;
        final String text;

        Kind(Target target, String text) {
            this.target = target;
            this.text = text;
        }
    }

    Duration end() {
        return at.plus(lasts);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(String.format("#%04d %8.2f s  %s", number, at.toMillis() / 1000.0, kind));
        switch (kind.target) {
            case WORKER -> text.append(" worker ").append(target);
            case MEMBER -> text.append(" member ").append(target);
            case WORKER_ID -> text.append(" worker id ").append(target);
            case CLUSTER -> {
                if (target >= 0) {
                    text.append(" but member ").append(target);
                }
            }
        }
        if (kind == Kind.STEP_CLOCK) {
            text.append(" by ").append(amount).append(" ms");
        } else if (kind.target == Target.WORKER && amount >= 0) {
            text.append(" to member ").append(amount);
        }
        if (!lasts.isZero()) {
            text.append(String.format(" for %.2f s", lasts.toMillis() / 1000.0));
        }
        return text.toString();
    }
}
