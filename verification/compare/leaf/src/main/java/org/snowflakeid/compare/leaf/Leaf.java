// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare.leaf;

import com.tencent.devops.leaf.common.Result;
import com.tencent.devops.leaf.common.Status;
import com.tencent.devops.leaf.snowflake.SnowflakeIDGenImpl;
import java.util.Map;
import org.snowflakeid.compare.instance.Ids;
import org.snowflakeid.compare.instance.Peer;

/** What its server makes of {@code leaf.properties}, without the server. */
public final class Leaf implements Peer {

    @Override
    public Ids start(Map<String, String> settings) {
        SnowflakeIDGenImpl ids = new SnowflakeIDGenImpl(
                settings.get("leaf.snowflake.zk.address"), Integer.parseInt(settings.get("leaf.snowflake.port")));
        return () -> {
            Result result = ids.get("key");
            // Its server answers with an error then.
            if (result.getStatus() != Status.SUCCESS) {
                throw new IllegalStateException("Leaf answered " + result);
            }
            return result.getId();
        };
    }
}
