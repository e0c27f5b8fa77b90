// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.compare.instance;

import java.util.Map;

/** Sets a generator up as its documentation says. It has a constructor without parameters. */
public interface Peer {

    /**
     * @param settings by the names that the generator's documentation has for them
     * @throws Exception if it does not start; the process ends then
     */
    Ids start(Map<String, String> settings) throws Exception;
}
