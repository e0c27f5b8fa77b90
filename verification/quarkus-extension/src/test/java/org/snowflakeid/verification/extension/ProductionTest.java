// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.ProdBuildResults;
import io.quarkus.test.ProdModeTestResults;
import io.quarkus.test.QuarkusProdModeTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ProductionTest {

    @RegisterExtension
    static final QuarkusProdModeTest APPLICATION = new QuarkusProdModeTest()
            .withApplicationRoot(root -> root.addClass(Orders.class))
            .setApplicationName("production")
            .overrideConfigKey("quarkus.http.port", "0")
            .setRun(true)
            .setExpectExit(true);

    @ProdBuildResults
    ProdModeTestResults built;

    @Test
    void failsToStartWithoutACoordinator() {
        assertThat(APPLICATION.getExitCode()).isNotZero();
        assertThat(APPLICATION.getStartupConsoleOutput())
                .contains("snowflake 'default': no coordinator is on the class path. Add one of the artifacts");
    }

    @Test
    void hasNothingOfTheCoordinatorInMemory() throws IOException {
        try (Stream<Path> files = Files.walk(built.getBuildDir())) {
            List<Path> jars =
                    files.filter(file -> file.toString().endsWith(".jar")).toList();

            assertThat(jars).anyMatch(jar -> jar.toString().contains("snowflake-core"));
            assertThat(jars).noneMatch(ProductionTest::holdsTheCoordinatorInMemory);
        }
    }

    private static boolean holdsTheCoordinatorInMemory(Path file) {
        try (JarFile jar = new JarFile(file.toFile())) {
            for (Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
                if (entries.nextElement().getName().startsWith("org/snowflakeid/testing/")) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new IllegalStateException(file.toString(), e);
        }
    }
}
