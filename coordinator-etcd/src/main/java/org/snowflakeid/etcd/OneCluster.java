// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import java.util.Collection;
import java.util.Set;

/** The cluster to which all servers that are named together belong. Each of two would have records of its own, and ids would repeat. */
final class OneCluster {
    /** 0: it is not known. */
    private volatile long cluster;

    private volatile boolean untold;

    /** Whether no server has to be asked. */
    boolean isOne() {
        return cluster != 0 || untold;
    }

    /** Whether the servers refuse to tell it. */
    boolean isUntold() {
        return untold;
    }

    /** The servers refuse to tell it: it is that of the first answer. */
    void noteUntold() {
        untold = true;
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

    /** Whether an answer is of another cluster, as after a restore of all servers. Then the cluster is unknown again. */
    boolean isAnother(long told) {
        long before = cluster;
        boolean another = before != 0 && told != before;
        if (another) {
            cluster = 0;
        } else if (untold) {
            cluster = told;
        }
        return another;
    }
}
