// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.inject.Inject;
import java.io.File;
import org.jboss.shrinkwrap.api.importer.ExplodedImporter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.snowflakeid.Snowflake;

/** An application that has {@code snowflake-testing} itself. */
class OwnMemoryTest extends WithApplication {

    @RegisterExtension
    static final Extension APPLICATION = application()
            .withEmptyApplication()
            .overrideRuntimeConfigKey("quarkus.http.test-port", "0")
            .withAdditionalDependency(
                    jar -> jar.as(ExplodedImporter.class).importDirectory(new File("../../../testing/target/classes")));

    @Inject
    Snowflake ids;

    /** By reflection: on the class path of these tests the library would be in each of their applications. */
    @Test
    void theStoreThatItsTestsLookIntoIsTheOneInUse() throws ReflectiveOperationException {
        assertThat(ids.status().coordinator()).isEqualTo("memory");

        Class<?> stores = Thread.currentThread().getContextClassLoader().loadClass("org.snowflakeid.testing.MemoryStore");
        Object store = stores.getMethod("named", String.class).invoke(null, "default");
        int workerId = ids.status().workerIds().iterator().next();
        assertThat(stores.getMethod("owner", String.class, int.class).invoke(store, "snowflake", workerId))
                .isNotNull();
    }
}
