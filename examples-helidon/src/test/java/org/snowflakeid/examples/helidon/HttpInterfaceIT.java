// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.helidon;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.snowflakeid.runtime.HttpInterfaceContract;

class HttpInterfaceIT extends HttpInterfaceContract {

    HttpInterfaceIT() {
        super(new PackagedExample());
    }

    @Test
    void doesNotKnowOtherHealthChecks() throws Exception {
        assertThat(example().get("/health/nowhere").statusCode()).isEqualTo(404);
    }

    @Test
    void logsOneLineForEachEvent() throws Exception {
        assertThat(example().log().lines())
                .allMatch(line -> line.matches("\\d{4}-\\d\\d-\\d\\dT\\S+ (INFO|WARNING) .*"))
                .hasSizeLessThan(15)
                .anyMatch(line -> line.contains("snowflake 'default': claimed worker id 7 from file"));
    }
}
