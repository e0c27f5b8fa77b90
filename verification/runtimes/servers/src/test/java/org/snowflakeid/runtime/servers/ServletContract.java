// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.json;

import jakarta.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.snowflakeid.runtime.RunningApplication;

/** What any server does besides: servlets, sessions, and resources of its own. */
interface ServletContract {

    RunningApplication application();

    @Test
    default void injectsIntoServletsAndPassivatesBeansOfASessionWithTheirGenerator() throws Exception {
        JsonObject answer = json(application().get("/session"));

        List<Long> ids = List.of(
                Long.valueOf(answer.getString("servlet")),
                Long.valueOf(answer.getString("bean")),
                Long.valueOf(answer.getString("activated")));
        assertThat(ids).isSorted().doesNotHaveDuplicates();
        assertThat(answer.getInt("issued")).isEqualTo(1);
        assertThat(answer.getBoolean("sameGenerator")).isTrue();
    }

    /** By the first event already, which creates the bean of the observer. */
    @Test
    default void tellsObserversThatNeedAResourceOfTheirServer() throws Exception {
        assertThatObserversAreTold();
    }

    default void assertThatObserversAreTold() throws Exception {
        String told = application()
                .await(
                        "/resource-events",
                        heard -> heard.body().contains("default Claimed")
                                && heard.body().contains("orders Claimed"))
                .body();

        assertThat(told).contains("default Claimed at the warehouse", "orders Claimed at the warehouse");
    }
}
