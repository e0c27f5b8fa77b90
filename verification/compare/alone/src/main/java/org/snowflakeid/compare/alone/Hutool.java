// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare.alone;

import cn.hutool.core.util.IdUtil;
import java.util.Map;
import org.snowflakeid.compare.instance.Ids;
import org.snowflakeid.compare.instance.Peer;

/** The one call of its documentation: worker id and data centre from the MAC address and the process id. */
public final class Hutool implements Peer {

    @Override
    public Ids start(Map<String, String> settings) {
        return IdUtil::getSnowflakeNextId;
    }
}
