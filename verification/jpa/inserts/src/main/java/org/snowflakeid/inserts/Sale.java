// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import jakarta.persistence.Column;
import jakarta.persistence.MappedSuperclass;
import java.time.Instant;

/** All but the id, which is what its subclasses differ in. */
@MappedSuperclass
abstract class Sale {

    @Column(length = 40)
    String customer = "";

    long cents;

    Instant soldAt = Instant.EPOCH;

    Sale of(int number) {
        customer = "customer " + number % 1000;
        cents = 100L + number;
        soldAt = Instant.EPOCH.plusSeconds(number);
        return this;
    }
}
