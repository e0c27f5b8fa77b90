// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.tck;

class MemoryCoordinatorTest extends WorkerCoordinatorContract {

    MemoryCoordinatorTest() {
        super(new MemoryFixture());
    }
}
