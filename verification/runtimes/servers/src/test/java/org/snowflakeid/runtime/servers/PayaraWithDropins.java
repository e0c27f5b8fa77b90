// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import fish.payara.micro.PayaraMicro;
import fish.payara.micro.PayaraMicroRuntime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/** Payara Micro, which also deploys and undeploys what comes into a folder and leaves it. Servers with an administrator can do that. */
final class PayaraWithDropins {

    private PayaraWithDropins() {}

    /** The folder, then the arguments of Payara Micro. */
    public static void main(String... arguments) throws Exception {
        Path second = Path.of(arguments[0], "second.war");
        PayaraMicro.main(Arrays.copyOfRange(arguments, 1, arguments.length));
        PayaraMicroRuntime server = PayaraMicro.getInstance().getRuntime();
        boolean deployed = false;
        while (true) {
            if (Files.exists(second) && !deployed) {
                deployed = server.deploy("second", "second", second.toFile());
            } else if (!Files.exists(second) && deployed) {
                server.undeploy("second");
                deployed = false;
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }
}
