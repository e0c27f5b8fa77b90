// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.util.function.Function;
import java.util.function.Supplier;
import org.snowflakeid.administration.NamespaceAdministration;

/**
 * A namespace that is read again and again. It is opened anew after a reading that failed: a session with a server that lost its data would
 * be refused for ever.
 */
final class WatchedNamespace implements AutoCloseable {

    private final Supplier<GivenNamespace> opener;
    private GivenNamespace namespace;
    private boolean open = true;

    WatchedNamespace(Supplier<GivenNamespace> opener) {
        this.opener = opener;
        this.namespace = opener.get();
    }

    /** As it was last opened. */
    synchronized GivenNamespace namespace() {
        return namespace;
    }

    synchronized SeenNamespace read(Function<NamespaceAdministration, SeenNamespace> reading) {
        if (!open) {
            namespace = opener.get();
            open = true;
        }
        boolean read = false;
        try {
            SeenNamespace seen = reading.apply(namespace.administration());
            read = true;
            return seen;
        } finally {
            if (!read) {
                close();
            }
        }
    }

    @Override
    public synchronized void close() {
        if (open) {
            open = false;
            namespace.close();
        }
    }
}
