// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.quarkus;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.OneToMany;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.jpa.SnowflakeId;

/** With a key and an ordinary column. */
@Entity
public class PortablePurchase extends PortableRow {
    @SnowflakeId
    public @Nullable Long number;

    @SnowflakeId
    public @Nullable String code;

    @SnowflakeId
    public @Nullable UUID uuid;

    @OneToMany(cascade = CascadeType.ALL)
    public List<PortableLine> lines = new ArrayList<>();
}
