// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Whom an encrypted connection trusts and how this client identifies itself, read from the files that {@link TlsKeys} name. Two are equal if the same
 * contents were read, from whatever files.
 *
 * @param trusted the authorities; empty: those of the JVM
 * @param identity certificate and private key, without a password; empty: the client needs none
 */
public record Tls(Optional<KeyStore> trusted, Optional<KeyStore> identity) {

    public TrustManagerFactory trustManagers() throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted.orElse(null));
        return factory;
    }

    /** Empty if the client needs no identity. */
    public Optional<KeyManagerFactory> keyManagers() throws GeneralSecurityException {
        if (identity.isEmpty()) {
            return Optional.empty();
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(identity.get(), new char[0]);
        return Optional.of(factory);
    }

    /** For connections of the JDK. */
    public SSLContext context() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        KeyManager @Nullable [] own =
                keyManagers().map(KeyManagerFactory::getKeyManagers).orElse(null);
        context.init(own, trustManagers().getTrustManagers(), null);
        return context;
    }

    /** Shakes hands with a server whose certificate must be for that host; blocks meanwhile. */
    public static SSLSocket handshake(SSLSocketFactory factory, Socket connected, String host, int port)
            throws IOException {
        SSLSocket socket = (SSLSocket) factory.createSocket(connected, host, port, true);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Tls tls
                && trusted.map(Tls::content).equals(tls.trusted.map(Tls::content))
                && identity.map(Tls::content).equals(tls.identity.map(Tls::content));
    }

    @Override
    public int hashCode() {
        return trusted.map(Tls::content).hashCode() * 31
                + identity.map(Tls::content).hashCode();
    }

    /** Certificates and keys, in the order of their aliases. */
    private static List<Object> content(KeyStore store) {
        List<Object> content = new ArrayList<>();
        try {
            List<String> aliases = Collections.list(store.aliases());
            Collections.sort(aliases);
            for (String alias : aliases) {
                if (store.isKeyEntry(alias)) {
                    content.add(store.getKey(alias, new char[0]));
                    content.addAll(Arrays.asList(store.getCertificateChain(alias)));
                } else {
                    content.add(store.getCertificate(alias));
                }
            }
        } catch (KeyStoreException e) {
            throw new IllegalStateException("the store was not loaded", e);
        } catch (GeneralSecurityException unreadable) {
            // Equal to none but itself.
            content.add(store);
        }
        return content;
    }
}
