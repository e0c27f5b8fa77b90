// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.List;
import java.util.stream.Stream;

/** The process in which one subject is measured: its name, the columns, how many windows at least and at most, and mixes, if any. */
final class MeasuredProcess {

    static final String JDK = "jdk ";
    static final String FAILED = "failed ";

    private MeasuredProcess() {}

    public static void main(String... arguments) {
        Subject subject = Subjects.named(arguments[0]);
        Windows windows = new Windows(Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        List<Mix> mixes = Stream.of(arguments).skip(4).map(Mix::parse).toList();
        System.out.println(JDK + System.getProperty("java.vm.name") + " " + Runtime.version());
        for (String name : arguments[1].split(",", -1)) {
            Column column = Column.named(name);
            Figures figures = new Figures();
            try {
                column.measure(subject, windows, mixes, figures);
            } catch (Exception | LinkageError e) {
                System.out.println(FAILED + column + ": " + e);
            }
            System.out.print(figures.lines());
        }
        // Some leave threads behind.
        System.exit(0);
    }
}
