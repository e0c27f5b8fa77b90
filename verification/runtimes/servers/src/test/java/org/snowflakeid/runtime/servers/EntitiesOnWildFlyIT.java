// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.snowflakeid.testservers.FreePorts;

/** With its Hibernate, and a data source that the application defines. */
@Tag("nightly")
class EntitiesOnWildFlyIT extends OrdersContract {

    private static final int MANAGEMENT = FreePorts.next();

    EntitiesOnWildFlyIT() {
        super(
                "wildfly",
                new WildFly(
                        Deployment.of(serversArchive(), "wildfly-orders-deployments"),
                        // MicroProfile Health is in this one alone.
                        "standalone-microprofile.xml",
                        MANAGEMENT),
                "Hibernate ORM core version");
    }

    /** At the port of its management, for all applications together. The application answers before all of the server is ready. */
    @Test
    void showsTheGeneratorInItsReadiness() throws Exception {
        URI readiness = URI.create("http://127.0.0.1:" + MANAGEMENT + "/health/ready");

        HttpResponse<String> health = application()
                .await(
                        readiness,
                        answer -> answer.statusCode() == 200 && answer.body().contains("\"name\":\"snowflake\""));

        assertThat(health.body())
                .contains("\"name\":\"snowflake\",\"status\":\"UP\"", "default.workerId", "default.reservedUntil");
    }
}
