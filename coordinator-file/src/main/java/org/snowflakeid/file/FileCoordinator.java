// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.time.Duration;
import java.util.List;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.ForwardingCoordinator;
import org.snowflakeid.spi.RecordCoordinator;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;

/**
 * Coordinates by records in a folder. The folder has no clock: owners expire by this host's, which all its processes share, and nothing
 * vouches for that one but what other processes wrote. So it is never reported as a second clock that agrees with the first.
 */
final class FileCoordinator extends ForwardingCoordinator {

    FileCoordinator(CoordinatorConfig config, FileStore store) {
        super(new RecordCoordinator(config, store));
    }

    @Override
    public Snapshot read(int fromId, int toId, Duration timeout) {
        Snapshot seen = super.read(fromId, toId, timeout);
        return new Snapshot(seen.meta(), seen.slots(), null);
    }

    @Override
    public List<CasResult> extendAll(List<Extension> extensions, Stored meta, Duration timeout) {
        return forwarded().extendAll(extensions, meta, timeout);
    }
}
