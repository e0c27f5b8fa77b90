// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.util.List;

/** A server that has no others. */
public final class SingleServer<S extends TestServer> extends ServerGroup<S> {

    /** Starts it, and returns when it answers. */
    SingleServer(S server) {
        super(List.of(server));
    }
}
