// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

/** The process in which one subject is measured: its name, the columns, and how many windows at least and at most. */
final class MeasuredProcess {

    static final String JDK = "jdk ";
    static final String FAILED = "failed ";

    private MeasuredProcess() {}

    public static void main(String... arguments) {
        Subject subject = Subjects.named(arguments[0]);
        Windows windows = new Windows(Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
        System.out.println(JDK + System.getProperty("java.vm.name") + " " + Runtime.version());
        for (String name : arguments[1].split(",", -1)) {
            Column column = Column.named(name);
            Figures figures = new Figures();
            try {
                column.measure(subject, windows, figures);
            } catch (Exception | LinkageError e) {
                System.out.println(FAILED + column + ": " + e);
            }
            System.out.print(figures.lines());
        }
        // Some leave threads behind.
        System.exit(0);
    }
}
