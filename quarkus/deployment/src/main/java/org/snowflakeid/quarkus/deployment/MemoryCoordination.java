// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.quarkus.deployment;

import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.IsProduction;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.GeneratedClassBuildItem;
import io.quarkus.deployment.builditem.RunTimeConfigurationDefaultBuildItem;
import io.quarkus.deployment.pkg.builditem.CurateOutcomeBuildItem;
import io.quarkus.maven.dependency.ResolvedDependency;
import io.quarkus.paths.PathVisit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/**
 * Lends an application the coordinator {@code memory} in dev mode and in tests, and makes it the one in use if there is no other. Its
 * classes are copied out of {@code snowflake-testing}, which is among the libraries of this extension, not of the application: so nothing of
 * it can get into what is built for production. {@code LentMemoryCoordinatorProvider}, which is always there, finds them.
 */
class MemoryCoordination {

    private static final String TESTING = "snowflake-testing";
    private static final String PROVIDER = "org.snowflakeid.testing.MemoryCoordinatorProvider";
    private static final String CLASS_FILE = ".class";

    @BuildStep(onlyIfNot = IsProduction.class)
    void lendCoordinator(CurateOutcomeBuildItem application, BuildProducer<GeneratedClassBuildItem> classes) {
        if (QuarkusClassLoader.isClassPresentAtRuntime(PROVIDER)) {
            // The application's own, which its tests may use directly.
            return;
        }
        ResolvedDependency testing = application.getApplicationModel().getDependencies().stream()
                .filter(each -> each.getGroupId().equals("org.snowflakeid")
                        && each.getArtifactId().equals(TESTING))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "quarkus-snowflake: " + TESTING + " is not among the libraries that build this application."
                                + " Don't exclude it from quarkus-snowflake-deployment."));
        testing.getContentTree().walk(file -> {
            String path = file.getRelativePath("/");
            if (path.endsWith(CLASS_FILE) && !path.contains("-info.")) {
                String name = path.substring(0, path.length() - CLASS_FILE.length());
                classes.produce(new GeneratedClassBuildItem(true, name, read(file)));
            }
        });
    }

    /** A default, below all that the application sets. */
    @BuildStep(onlyIfNot = IsProduction.class)
    void useItWhereThereIsNoOther(BuildProducer<RunTimeConfigurationDefaultBuildItem> defaults) {
        if (!hasCoordinator()) {
            defaults.produce(new RunTimeConfigurationDefaultBuildItem("snowflake.coordinator", "memory"));
        }
    }

    private static boolean hasCoordinator() {
        try {
            return ServiceLoader.load(
                            WorkerCoordinatorProvider.class,
                            Thread.currentThread().getContextClassLoader())
                    .stream()
                    .anyMatch(provider -> !provider.get().onlyByName());
        } catch (ServiceConfigurationError e) {
            // There is one, and the library reports at the start what is wrong with it.
            return true;
        }
    }

    private static byte[] read(PathVisit file) {
        try {
            return Files.readAllBytes(file.getPath());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
