// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Entity;
import org.jspecify.annotations.Nullable;

/** Its key is a {@code Long} here only. */
@Entity
public class PortableHeir extends PortableEstate<Long> implements Heir {

    @Override
    public @Nullable Long key() {
        return getId();
    }
}
