// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PurchaseController {

    private final Purchases purchases;

    PurchaseController(Purchases purchases) {
        this.purchases = purchases;
    }

    @PostMapping("/purchases")
    String create() {
        return purchases.save(Purchase.of("tea")).id.toString();
    }
}
