// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** What the process of one subject had to say. */
record Measured(Subject subject, String jdk, Figures figures, List<String> failures) {

    static Measured read(Subject subject, List<String> lines) {
        Figures figures = new Figures();
        List<String> failures = new ArrayList<>();
        String jdk = "";
        for (String line : lines) {
            if (line.startsWith(MeasuredProcess.FAILED)) {
                failures.add(line.substring(MeasuredProcess.FAILED.length()));
            } else if (line.startsWith(MeasuredProcess.JDK)) {
                jdk = line.substring(MeasuredProcess.JDK.length());
            } else {
                figures.read(line);
            }
        }
        return new Measured(subject, jdk, figures, List.copyOf(failures));
    }
}
