// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import org.snowflakeid.Snowflake;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PurchaseController {

    private final Snowflake ids;
    private final Purchases purchases;

    PurchaseController(Snowflake ids, Purchases purchases) {
        this.ids = ids;
        this.purchases = purchases;
    }

    @GetMapping("/id")
    String id() {
        return Long.toString(ids.nextId());
    }

    @PostMapping("/purchases")
    String create() {
        return purchases.save(new Purchase("tea")).id.toString();
    }
}
