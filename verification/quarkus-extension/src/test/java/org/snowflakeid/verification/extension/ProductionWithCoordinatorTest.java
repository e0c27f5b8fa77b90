// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.QuarkusProdModeTest;
import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import org.jboss.shrinkwrap.api.importer.ExplodedImporter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ProductionWithCoordinatorTest {

    private static final int PORT = Http.freePort();

    @RegisterExtension
    static final QuarkusProdModeTest APPLICATION = new QuarkusProdModeTest()
            .withApplicationRoot(root -> root.addClass(Orders.class)
                    .as(ExplodedImporter.class)
                    .importDirectory(new File("../../../coordinator-file/target/classes")))
            .setApplicationName("production-with-coordinator")
            .overrideConfigKey(
                    "snowflake.file.directory",
                    Path.of("target", "production-with-coordinator-ids").toAbsolutePath().toString())
            .setRuntimeProperties(Map.of("quarkus.http.port", String.valueOf(PORT)))
            .setRun(true);

    @Test
    void usesIt() {
        assertThat(Http.get(PORT, "/orders/status")).contains("coordinator=file");
        assertThat(Http.get(PORT, "/orders")).matches("\\{\"id\":\"\\d+\"}");
    }
}
