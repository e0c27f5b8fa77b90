// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import org.snowflakeid.Snowflake;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class IdController {

    private final Snowflake ids;

    IdController(Snowflake ids) {
        this.ids = ids;
    }

    @PostMapping("/ids")
    String create() {
        return Long.toString(ids.nextId()); // text, since JavaScript rounds numbers above 2^53
    }
}
