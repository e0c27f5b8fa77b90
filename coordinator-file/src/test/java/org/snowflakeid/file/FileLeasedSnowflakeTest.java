// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.snowflakeid.tck.LeasedSnowflakeContract;

@Execution(ExecutionMode.CONCURRENT)
class FileLeasedSnowflakeTest extends LeasedSnowflakeContract {

    @TempDir
    static Path directory;

    FileLeasedSnowflakeTest() {
        super(new FileFixture(directory));
    }
}
