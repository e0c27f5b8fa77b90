// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing.helidon;

import static org.assertj.core.api.Assertions.assertThat;

import io.helidon.microprofile.testing.junit5.HelidonTest;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import jakarta.ws.rs.client.WebTarget;
import org.junit.jupiter.api.Test;
import org.snowflakeid.testing.MemoryStore;

/** The application of the examples as it is. */
@HelidonTest
class InMemoryTest {

    @Inject
    WebTarget application;

    @Test
    void theApplicationLeasesItsWorkerIdFromTheStoreInMemory() {
        String id = application.path("ids").request().get(JsonObject.class).getString("id");
        int workerId =
                application.path("ids/" + id).request().get(JsonObject.class).getInt("workerId");

        assertThat(MemoryStore.named(MemoryStore.DEFAULT_NAME).owner("snowflake", workerId))
                .isNotNull();
    }
}
