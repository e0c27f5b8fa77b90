// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class DisasterOnKubernetesTest extends DisasterContract {

    private static FragileCoordinator edited;

    DisasterOnKubernetesTest() {
        super("kubernetes", FragileKubernetes::new, Duration.ZERO);
    }

    @BeforeAll
    static void startServer() {
        edited = new FragileKubernetes();
    }

    @AfterAll
    static void stopServer() {
        edited.close();
    }

    @Override
    FragileCoordinator edited() {
        return edited;
    }
}
