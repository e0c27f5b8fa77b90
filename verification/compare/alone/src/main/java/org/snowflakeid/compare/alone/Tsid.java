// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare.alone;

import com.github.f4b6a3.tsid.TsidCreator;
import java.util.Map;
import org.snowflakeid.compare.instance.Ids;
import org.snowflakeid.compare.instance.Peer;

/** The one call of its documentation: the node is a random number. */
public final class Tsid implements Peer {

    @Override
    public Ids start(Map<String, String> settings) {
        return () -> TsidCreator.getTsid().toLong();
    }
}
