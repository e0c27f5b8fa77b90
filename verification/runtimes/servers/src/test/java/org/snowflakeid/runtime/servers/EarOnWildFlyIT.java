// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.id;
import static org.snowflakeid.runtime.RunningApplication.json;

import java.net.URI;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.snowflakeid.testservers.FreePorts;

/** Two web applications in an EAR, which has the library and the settings in its {@code lib}. */
@Tag("nightly")
class EarOnWildFlyIT extends OtherServerContract {

    /** What the application has in a WAR too, where the generators of an EAR do not find it. */
    private static final String SETTINGS = """
            snowflake.generators.orders.worker-id-bits=2
            snowflake.generators.orders.sequence-bits=20
            """;

    EarOnWildFlyIT() {
        super(
                "wildfly-ear",
                EarArchive.of("two-applications.ear", ServerContract.WAR, SETTINGS),
                deployment -> new WildFly(deployment, "standalone.xml", FreePorts.next()));
    }

    /** One stays, however many have ended. */
    @Override
    long loadersKeptByTheServer() {
        return 1;
    }

    @Test
    void bothApplicationsHaveTheSameGenerator() throws Exception {
        HttpResponse<String> second = second("/worker");

        assertThat(json(second).getInt("workerId"))
                .isEqualTo(json(application().get("/worker")).getInt("workerId"));
        long before = id(application().get("/ids"));
        long between = id(second("/ids"));
        assertThat(between).isGreaterThan(before);
        assertThat(id(application().get("/ids"))).isGreaterThan(between);
    }

    /** A web application has names of its own, of which an event of the whole EAR has none: so docs/other-servers.md says it. */
    @Override
    @Test
    public void tellsObserversThatNeedAResourceOfTheirServer() throws Exception {
        assertThatObserversAreTold();
        assertThat(application().log()).contains("the observer in " + ResourceObserver.class.getName() + " failed");
    }

    @Override
    public void assertThatObserversAreTold() throws Exception {
        assertThat(bothClaims(application().address("/events"))).isNotEmpty();
        assertThat(bothClaims(application().address("").resolve("/second/events")))
                .isNotEmpty();
    }

    private String bothClaims(URI events) throws Exception {
        return application()
                .await(
                        events,
                        heard -> heard.body().contains("default Claimed")
                                && heard.body().contains("orders Claimed"))
                .body();
    }

    private HttpResponse<String> second(String path) throws Exception {
        URI address = application().address("").resolve("/second" + path);
        return application().await(address, answer -> answer.statusCode() == 200);
    }
}
