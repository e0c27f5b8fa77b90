// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class DisasterOnPostgresTest extends DisasterContract {

    private static FragileCoordinator edited;

    DisasterOnPostgresTest() {
        super("jdbc", FragilePostgres::new, Duration.ZERO);
    }

    @BeforeAll
    static void startServer() {
        edited = new FragilePostgres();
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
