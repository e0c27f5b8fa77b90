// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.util.Map;

/** A real server of a coordinator, and how it loses what it had acknowledged. */
interface FragileCoordinator extends AutoCloseable {

    /** What a generator is configured with that connects to that port on loopback. */
    Map<String, String> settings(int port);

    /** Where clients connect. */
    int port();

    default Map<String, String> settings() {
        return settings(port());
    }

    /** Starts again with an empty disk. */
    void loseAllData();

    /** Makes a backup to come back to. */
    Backup backup();

    /** What a server once held. */
    interface Backup {
        /** Starts the server again with that. */
        void restore();
    }

    /** What stands there. */
    String read(String key);

    /** Overwrites what stands there. */
    void write(String key, String value);

    void delete(String key);

    @Override
    void close();
}
