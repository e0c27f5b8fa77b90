// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.Locale;
import org.snowflakeid.Simulation.Domain;

/** Plays a range of seeds: {@code small 0 10000000}; or one, with its trace: {@code small 4711}. */
final class SimulationCommand {

    private SimulationCommand() {}

    public static void main(String[] args) throws InterruptedException {
        Domain domain = Domain.valueOf(args[0].toUpperCase(Locale.ROOT));
        long first = Long.parseLong(args[1]);
        Thread thread = Thread.ofVirtual().start(() -> {
            if (args.length < 3) {
                Simulation.trace(domain, first).forEach(System.out::println);
                return;
            }
            Tally tally = new Tally();
            long began = System.nanoTime();
            long count = Long.parseLong(args[2]);
            for (long seed = first; seed < first + count; seed++) {
                try { Simulation.play(domain, seed, tally);} catch (AssertionError e) { System.out.println(e.getMessage()); System.exit(1); }
            }
            double s=((com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
            System.out.println(tally+" "+s+" s "+s*1e6/count+" us/seed");
        });
        thread.join();
    }
}
