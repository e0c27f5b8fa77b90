// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
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

    /** At the port of its management, for all applications together. */
    @Test
    void showsTheGeneratorInItsReadiness() throws Exception {
        HttpResponse<String> health = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + MANAGEMENT + "/health/ready"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());

        assertThat(health.statusCode()).as(health.body()).isEqualTo(200);
        assertThat(health.body())
                .contains("\"name\":\"snowflake\",\"status\":\"UP\"", "default.workerId", "default.reservedUntil");
    }
}
