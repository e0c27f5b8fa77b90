// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.application;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Startup;

/** Fails after the generators have claimed their worker ids, if the environment says so. */
@ApplicationScoped
public class FailingServer {

    void open(@Observes Startup event) {
        if (System.getenv("FAIL_AT_START") != null) {
            throw new IllegalStateException("fails as it is told to");
        }
    }
}
