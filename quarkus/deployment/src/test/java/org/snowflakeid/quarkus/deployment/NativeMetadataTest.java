// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.deployment.builditem.nativeimage.ServiceProviderBuildItem;
import org.junit.jupiter.api.Test;
import org.snowflakeid.file.FileCoordinatorProvider;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

class NativeMetadataTest {

    @Test
    void namesTheCoordinatorsThatAreThere() {
        ServiceProviderBuildItem coordinators = new NativeMetadata().coordinators();

        assertThat(coordinators.serviceDescriptorFile())
                .isEqualTo("META-INF/services/" + WorkerCoordinatorProvider.class.getName());
        assertThat(coordinators.providers()).contains(FileCoordinatorProvider.class.getName());
    }

    @Test
    void namesClassesThatAreThere() {
        // As files: their libraries are not there.
        assertThat(NativeMetadata.MADE_BY_REFLECTION.values()).allSatisfy(classes -> assertThat(classes)
                .allSatisfy(name -> assertThat(getClass().getResource("/" + name.replace('.', '/') + ".class"))
                        .isNotNull()));
    }
}
