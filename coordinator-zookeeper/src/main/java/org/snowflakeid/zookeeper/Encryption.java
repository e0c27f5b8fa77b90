// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import java.io.IOException;
import java.net.Socket;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.config.SettingsReader;
import org.snowflakeid.support.Tls;
import org.snowflakeid.support.TlsKeys;

/**
 * Encrypts connections by the files that the settings name. It reads them anew for each connection, since certificates and keys are
 * replaced while a process runs, and keeps key and certificate in memory only.
 */
final class Encryption {
    private final TlsKeys keys;
    private final String generator;

    /** The files, as they were set. Equal if the same ones are read. */
    private final Map<String, String> named;

    /** What is wrong with the names of the files is noted in the reader. */
    Encryption(TlsKeys keys, String generator, SettingsReader reader) {
        this.keys = keys;
        this.generator = generator;
        this.named = keys.files(reader);
    }

    Map<String, String> named() {
        return named;
    }

    /** What the files hold now. What is wrong with them is noted in the reader. */
    Tls read(SettingsReader reader) {
        return keys.read(reader);
    }

    private SSLContext context() throws UnreadableException {
        try {
            return keys.makeAnew(generator, named, Tls::context);
        } catch (InvalidSettingsException e) {
            throw new UnreadableException(e);
        }
    }

    /** Shakes hands with a server whose certificate must be for that host. */
    SSLSocket encrypt(Socket connected, String host, int port) throws IOException {
        return Tls.handshake(context().getSocketFactory(), connected, host, port);
    }

    /** The files can't be used now: an operator may be replacing them. */
    static final class UnreadableException extends IOException {
        private static final long serialVersionUID = 1L;

        private UnreadableException(InvalidSettingsException cause) {
            super(cause.getMessage(), cause);
        }
    }
}
