// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

class RunbookOnZooKeeperTest extends RunbookContract {

    RunbookOnZooKeeperTest() {
        super("zookeeper", FragileZooKeeper::new);
    }
}
