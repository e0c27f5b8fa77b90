// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare.alone;

import java.util.Map;
import org.apache.seata.common.util.IdWorker;
import org.snowflakeid.compare.instance.Ids;
import org.snowflakeid.compare.instance.Peer;

/** What makes the ids of its server, which is told its number by {@code serverNode}. */
public final class Seata implements Peer {

    @Override
    public Ids start(Map<String, String> settings) {
        IdWorker ids = new IdWorker(Long.valueOf(settings.get("serverNode")));
        return ids::nextId;
    }
}
