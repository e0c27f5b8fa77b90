// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import java.util.Collection;
import java.util.Set;

/** The cluster of which all servers are that are named together. Two would each have records of their own, and ids would repeat. */
final class OneCluster {
    /** 0: it is not known. */
    private volatile long cluster;

    boolean isOne() {
        return cluster != 0;
    }

    /** @return false if these are several */
    boolean note(Collection<Long> clusters) {
        Set<Long> different = Set.copyOf(clusters);
        if (different.size() > 1) {
            return false;
        }
        different.forEach(one -> cluster = one);
        return true;
    }

    /** Whether an answer is of another one, as after a restore of all servers: which one it is, is not known then. */
    boolean isAnother(long told) {
        boolean another = cluster != 0 && told != cluster;
        if (another) {
            cluster = 0;
        }
        return another;
    }
}
