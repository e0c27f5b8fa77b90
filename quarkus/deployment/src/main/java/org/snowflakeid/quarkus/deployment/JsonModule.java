// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.quarkus.deployment;

import io.quarkus.bootstrap.classloading.QuarkusClassLoader;
import io.quarkus.deployment.Capabilities;
import io.quarkus.deployment.Capability;
import io.quarkus.deployment.annotations.BuildProducer;
import io.quarkus.deployment.annotations.BuildStep;
import io.quarkus.jackson.spi.ClassPathJacksonModuleBuildItem;

/** Gives the module of {@code snowflake-json} to the mapper of an application with Jackson: Quarkus looks for no modules. */
class JsonModule {

    private static final String MODULE = "org.snowflakeid.json.SnowflakeJackson2Module";

    @BuildStep
    void register(Capabilities capabilities, BuildProducer<ClassPathJacksonModuleBuildItem> modules) {
        if (capabilities.isPresent(Capability.JACKSON) && QuarkusClassLoader.isClassPresentAtRuntime(MODULE)) {
            modules.produce(new ClassPathJacksonModuleBuildItem(MODULE));
        }
    }
}
