// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.payara;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.snowflakeid.runtime.HttpInterfaceContract;

class HttpInterfaceIT extends HttpInterfaceContract {

    HttpInterfaceIT() {
        super(new PackagedExample());
    }

    /** Payara answers 400 without a body, before any application has seen the request. */
    @Override
    @Test
    protected void refusesAPathWithAZeroByte() throws Exception {
        assertThat(example().get("/ids/%00").statusCode()).isEqualTo(400);
    }

    @Test
    void logsOneLineForEachEvent() throws Exception {
        assertThat(example().log().lines().filter(line -> line.contains("snowflake '")))
                .allMatch(line -> line.matches("\\d{4}-\\d\\d-\\d\\dT\\S+ (INFO|WARNING) .*"))
                .hasSizeLessThan(5)
                .anyMatch(line -> line.contains("snowflake 'default': claimed worker id 7 from file"));
    }
}
