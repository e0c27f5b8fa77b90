// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.example;

import org.snowflakeid.tck.WorkerCoordinatorContract;

class MapCoordinatorTest extends WorkerCoordinatorContract {

    MapCoordinatorTest() {
        super(new MapFixture());
    }
}
