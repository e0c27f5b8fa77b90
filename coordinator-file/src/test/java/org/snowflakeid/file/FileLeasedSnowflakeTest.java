// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.file;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.tck.LeasedSnowflakeContract;

class FileLeasedSnowflakeTest extends LeasedSnowflakeContract {

    @TempDir
    static Path directory;

    FileLeasedSnowflakeTest() {
        super(new FileFixture(directory));
    }
}
