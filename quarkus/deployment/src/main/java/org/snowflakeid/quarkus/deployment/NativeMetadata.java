// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.quarkus.deployment;

import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.deployment.builditem.nativeimage.ReflectiveClassBuildItem;
import io.quarkus.deployment.builditem.nativeimage.ServiceProviderBuildItem;
import java.util.List;
import java.util.stream.Stream;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** What the jars of the library don't say themselves in {@code META-INF/native-image}. No native image has been built with it. */
class NativeMetadata {

    /** Whoever writes JSON makes them by reflection; they are named by annotations of an annotation, where Quarkus does not look. */
    private static final List<String> MADE_BY_REFLECTION = List.of(
            "org.snowflakeid.json.Jackson2Text$Serializer",
            "org.snowflakeid.json.Jackson2Text$Deserializer",
            "org.snowflakeid.json.JsonbText",
            "org.snowflakeid.json.JsonbText$Crockford",
            "org.snowflakeid.json.JsonbText$Base62",
            "org.snowflakeid.json.JsonbText$Hex");

    @BuildStep
    ServiceProviderBuildItem coordinators() {
        return ServiceProviderBuildItem.allProvidersFromClassPath(WorkerCoordinatorProvider.class.getName());
    }

    @BuildStep
    void serializers(BuildProducer<ReflectiveClassBuildItem> reflective) {
        Stream<String> present = MADE_BY_REFLECTION.stream().filter(QuarkusClassLoader::isClassPresentAtRuntime);
        reflective.produce(ReflectiveClassBuildItem.builder(present.toArray(String[]::new))
                .reason("@SnowflakeText")
                .build());
    }
}
