// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@link TlsContract}, and what a coordinator promises where the server demands a certificate of its client. */
public abstract class MutualTlsContract extends TlsContract {

    private final int demandingPort;

    /** @param demandingPort of a server that demands a certificate of the authority of {@code trusted} */
    protected MutualTlsContract(
            String coordinator,
            String addressKey,
            Ports ports,
            int demandingPort,
            Map<String, String> trusted,
            Map<String, String> foreign) {
        super(coordinator, addressKey, ports, trusted, foreign);
        this.demandingPort = demandingPort;
    }

    /**
     * Ends the server that demands certificates and starts it again.
     *
     * @param byForeign whether its certificate is of the authority of {@code foreign} then, and it demands one of that; else as before
     */
    protected abstract void restart(boolean byForeign);

    private Map<String, String> demanding() {
        return at(true, "127.0.0.1", demandingPort);
    }

    @Test
    public final void worksOverMutualTls() {
        try (Node node = node(with(demanding(), trusted))) {
            node.claimExtendAndRelease();
        }
    }

    @Test
    public final void clientWithoutACertificateIsToldWhichKeyToSet() {
        node(with(demanding(), only(trusted, ca))).refused(true, "refuses this client's certificate", cert);
    }

    @Test
    public final void clientWithAForeignCertificateIsToldWhichKeyToCheck() {
        node(with(demanding(), with(trusted, only(foreign, cert, key))))
                .refused(true, "refuses this client's certificate", cert);
    }

    @Test
    public final void replacedFilesAreUsedFromTheNextConnectionOn() throws IOException {
        Map<String, String> used = new HashMap<>();
        for (String each : trusted.keySet()) {
            used.put(each, directory.resolve(each).toString());
        }
        replace(used, trusted);
        try (Node node = node(with(demanding(), used))) {
            node.claimExtendAndRelease();
            try {
                restart(true);
                assertThat(node.answers()).isFalse();

                replace(used, foreign);

                node.awaitAnswer();
                node.claimExtendAndRelease();
            } finally {
                restart(false);
            }
        }
    }

    private static void replace(Map<String, String> files, Map<String, String> by) throws IOException {
        for (String each : files.keySet()) {
            Files.copy(Path.of(by.get(each)), Path.of(files.get(each)), StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
