// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.quarkus;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.OneToMany;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.hibernate.SnowflakeId;

/** With a key and an ordinary column. */
@Entity
public class NativePurchase extends NativeRow {
    @SnowflakeId
    public @Nullable Long number;

    @SnowflakeId(format = SnowflakeFormat.HEX)
    public @Nullable String code;

    @SnowflakeId
    public @Nullable UUID uuid;

    @OneToMany(cascade = CascadeType.ALL)
    public List<NativeLine> lines = new ArrayList<>();
}
