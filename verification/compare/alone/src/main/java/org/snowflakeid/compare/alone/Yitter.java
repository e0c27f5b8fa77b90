// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare.alone;

import com.github.yitter.contract.IdGeneratorOptions;
import com.github.yitter.idgen.YitIdHelper;
import java.util.Map;
import org.snowflakeid.compare.instance.Ids;
import org.snowflakeid.compare.instance.Peer;

/** Its documentation wants one setting, {@code WorkerId}, which the application makes sure is unique. */
public final class Yitter implements Peer {

    @Override
    public Ids start(Map<String, String> settings) {
        YitIdHelper.setIdGenerator(new IdGeneratorOptions(Short.parseShort(settings.get("WorkerId"))));
        return YitIdHelper::nextId;
    }
}
