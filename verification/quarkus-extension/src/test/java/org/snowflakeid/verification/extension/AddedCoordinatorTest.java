// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import java.io.File;
import java.nio.file.Path;
import org.jboss.shrinkwrap.api.importer.ExplodedImporter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.snowflakeid.Snowflake;

class AddedCoordinatorTest extends WithApplication {

    @RegisterExtension
    static final Extension APPLICATION = application()
            .withEmptyApplication()
            .overrideRuntimeConfigKey("quarkus.http.test-port", "0")
            .withAdditionalDependency(jar ->
                    jar.as(ExplodedImporter.class).importDirectory(new File("../../../coordinator-file/target/classes")))
            .overrideRuntimeConfigKey(
                    "snowflake.file.directory",
                    Path.of("target", "added-coordinator").toAbsolutePath().toString());

    @Inject
    Snowflake ids;

    @Test
    void aCoordinatorOnTheClassPathIsKept() {
        assertThat(ids.status().coordinator()).isEqualTo("file");
    }
}
