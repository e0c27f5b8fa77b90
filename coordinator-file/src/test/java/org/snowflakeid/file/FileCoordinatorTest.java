// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.tck.WorkerCoordinatorContract;

class FileCoordinatorTest extends WorkerCoordinatorContract {

    @TempDir
    static Path directory;

    FileCoordinatorTest() {
        super(new FileFixture(directory));
    }
}
