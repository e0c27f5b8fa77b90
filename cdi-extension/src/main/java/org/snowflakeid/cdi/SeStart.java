// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import org.jspecify.annotations.Nullable;

/** Whether this thread is starting a container in Java SE. A server decides itself whether an application whose observer failed goes on, and ends it if not. */
final class SeStart {

    private SeStart() {}

    static boolean isGoingOn() {
        return depth() > 0;
    }

    /** 0 outside of a start; larger in a start that another one began. */
    static long depth() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.filter(frame -> isSeContainerInitializer(frame.getDeclaringClass()))
                        .count());
    }

    /** By its name, since servers may lack that class. */
    private static boolean isSeContainerInitializer(@Nullable Class<?> type) {
        return type != null
                && (type.getName().equals("jakarta.enterprise.inject.se.SeContainerInitializer")
                        || isSeContainerInitializer(type.getSuperclass()));
    }
}
