// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.util.Iterator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Whether this thread is starting a container in Java SE. */
final class SeStart {

    private SeStart() {}

    static boolean isGoingOn() {
        return depth() > 0;
    }

    /** 0 outside of a start; larger in a start that another one began. */
    static int depth() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(SeStart::starts);
    }

    /** Methods of the initializer that call each other, such as bridges, are one start. */
    private static int starts(Stream<StackWalker.StackFrame> frames) {
        int starts = 0;
        boolean inside = false;
        for (Iterator<StackWalker.StackFrame> each = frames.iterator(); each.hasNext(); ) {
            boolean initializes = isSeContainerInitializer(each.next().getDeclaringClass());
            starts += initializes && !inside ? 1 : 0;
            inside = initializes;
        }
        return starts;
    }

    /** By its name, since servers may lack that class. */
    private static boolean isSeContainerInitializer(@Nullable Class<?> type) {
        return type != null
                && (type.getName().equals("jakarta.enterprise.inject.se.SeContainerInitializer")
                        || isSeContainerInitializer(type.getSuperclass()));
    }
}
