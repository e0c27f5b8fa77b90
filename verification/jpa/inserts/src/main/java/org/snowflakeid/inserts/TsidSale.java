// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.inserts;

import io.hypersistence.utils.hibernate.id.Tsid;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

/** Its id is a TSID, of a node that is a random number. */
@Entity
class TsidSale extends Sale {
    @Id
    @Tsid
    @Nullable
    Long id;
}
