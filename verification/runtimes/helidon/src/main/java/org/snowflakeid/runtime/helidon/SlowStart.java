// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.helidon;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Startup;
import java.util.concurrent.CountDownLatch;

/** Does not let the start go on from where the environment says, once the generators have claimed their worker ids. */
@ApplicationScoped
public class SlowStart {

    /** Without a priority: after the claim, and before Helidon opens its port. */
    void beforeThePort(@Observes @Initialized(ApplicationScoped.class) Object event) throws InterruptedException {
        staysIf("before the port is open");
    }

    void behindThePort(@Observes Startup event) throws InterruptedException {
        staysIf("before the start is over");
    }

    private static void staysIf(String place) throws InterruptedException {
        if (place.equals(System.getenv("START_STAYS"))) {
            System.out.println("The start stays " + place);
            new CountDownLatch(1).await();
        }
    }
}
