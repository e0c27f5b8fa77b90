// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What the machine must have: PID namespaces. */
final class Machine {
    private static final List<List<String>> NAMESPACES = List.of(
            List.of("unshare", "--pid", "--fork", "--kill-child"),
            List.of("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"));

    private Machine() {}

    /** What a process is wrapped in, so that its process id is 1 and no other process is to be seen. */
    static List<String> ownNamespace() {
        for (List<String> wrapping : NAMESPACES) {
            if (succeeds(wrapping)) {
                return wrapping;
            }
        }
        throw new IllegalStateException("no PID namespaces: neither as root nor by user namespaces does"
                + " `unshare --pid --fork true` work. Leave the chapter of twins out: --chapters");
    }

    private static boolean succeeds(List<String> wrapping) {
        List<String> command = new ArrayList<>(wrapping);
        command.add("true");
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
