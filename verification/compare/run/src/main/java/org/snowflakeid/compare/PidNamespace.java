// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** PID namespaces of Linux, in which a process has the id 1 and sees no other, as in a container. */
final class PidNamespace {
    private static final List<List<String>> WRAPPINGS = List.of(
            List.of("unshare", "--pid", "--fork", "--kill-child"),
            List.of("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"));

    private PidNamespace() {}

    /** The beginning of a command that is run in one of its own. */
    static List<String> wrapping() {
        for (List<String> wrapping : WRAPPINGS) {
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
