// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testing.helidon;

import static org.assertj.core.api.Assertions.assertThat;

import io.helidon.microprofile.testing.AddBean;
import io.helidon.microprofile.testing.junit5.HelidonTest;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.json.JsonObject;
import jakarta.ws.rs.client.WebTarget;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.snowflakeid.IdParts;
import org.snowflakeid.testing.TestSnowflake;

@HelidonTest
@AddBean(FixedIdsTest.FixedIds.class)
class FixedIdsTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    @Alternative
    @Priority(1)
    @ApplicationScoped
    static class FixedIds {
        @Produces
        @Singleton
        TestSnowflake ids() {
            return TestSnowflake.workerId(7);
        }
    }

    @Inject
    TestSnowflake ids;

    @Inject
    WebTarget application;

    private IdParts next() {
        String id = application.path("ids").request().get(JsonObject.class).getString("id");
        return ids.layout().decode(Long.parseLong(id));
    }

    @Test
    void theTestSetsTheClockOfTheApplicationsIds() {
        ids.restartAt(START);
        assertThat(next()).isEqualTo(new IdParts(START, 7, 0));

        ids.advance(Duration.ofSeconds(1));

        assertThat(next()).isEqualTo(new IdParts(START.plusSeconds(1), 7, 0));
    }

    @Test
    void anApplicationWithoutIdsAnswers503() {
        ids.restartAt(START).suspend();

        try (Response response = application.path("ids").request().get()) {
            assertThat(response.getStatus()).isEqualTo(503);
            assertThat(response.getHeaderString("Retry-After")).isEqualTo("1");
        }
    }
}
