// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

/** Its id is one of fifty that a call of a sequence reserves: what Hibernate does if nothing else is said. */
@Entity
class SequenceSale extends Sale {
    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE)
    @Nullable
    Long id;
}
