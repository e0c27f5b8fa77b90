// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing;

import org.snowflakeid.tck.WorkerCoordinatorContract;

class MemoryCoordinatorTest extends WorkerCoordinatorContract {

    MemoryCoordinatorTest() {
        super(new MemoryFixture());
    }
}
