// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import java.util.Map;
import org.snowflakeid.tck.Node;

/** A process that uses this coordinator. */
final class KubernetesNode extends Node {

    KubernetesNode(String namespace, Map<String, String> settings) {
        super("kubernetes", namespace, TIME_TO_LIVE, settings);
    }
}
