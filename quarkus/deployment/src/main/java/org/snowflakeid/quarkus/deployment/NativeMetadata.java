// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.quarkus.deployment;

import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveClassBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ServiceProviderBuildItem;
import java.util.List;
import java.util.Map;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** What the jars of the library don't say themselves in {@code META-INF/native-image}. No native image of a Quarkus application has been built with it. */
class NativeMetadata {

    /**
     * By what a JSON library of Quarkus says of itself: what that makes by reflection. Annotations of an annotation name these classes, where
     * Quarkus does not look.
     */
    static final Map<String, List<String>> MADE_BY_REFLECTION = Map.of(
            Capability.JACKSON,
            List.of("org.snowflakeid.json.Jackson2Text$Serializer", "org.snowflakeid.json.Jackson2Text$Deserializer"),
            Capability.JSONB,
            List.of(
                    "org.snowflakeid.json.JsonbText",
                    "org.snowflakeid.json.JsonbText$Crockford",
                    "org.snowflakeid.json.JsonbText$Base62",
                    "org.snowflakeid.json.JsonbText$Hex"));

    @BuildStep
    ServiceProviderBuildItem coordinators() {
        return ServiceProviderBuildItem.allProvidersFromClassPath(WorkerCoordinatorProvider.class.getName());
    }

    @BuildStep
    void serializers(Capabilities capabilities, BuildProducer<ReflectiveClassBuildItem> reflective) {
        MADE_BY_REFLECTION.forEach((library, classes) -> {
            if (capabilities.isPresent(library) && QuarkusClassLoader.isClassPresentAtRuntime(classes.get(0))) {
                reflective.produce(ReflectiveClassBuildItem.builder(classes.toArray(String[]::new))
                        .reason("@SnowflakeText")
                        .build());
            }
        });
    }
}
