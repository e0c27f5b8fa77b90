// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import io.quarkus.test.QuarkusUnitTest;

/** A test of an application on this Quarkus. Quarkus takes a superclass of the test into the application. */
abstract class WithApplication {

    static QuarkusUnitTest application() {
        return new QuarkusUnitTest();
    }
}
