// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.eclipselink.SnowflakeId;

/** Its key is text. */
@Entity
public class EclipseLinkNote {
    @Id
    @SnowflakeId(value = "purchases", format = SnowflakeFormat.BASE62)
    @Nullable
    String id;
}
