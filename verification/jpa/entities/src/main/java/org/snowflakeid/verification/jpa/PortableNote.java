// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityListeners;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.jpa.SnowflakeId;
import org.snowflakeid.jpa.SnowflakeIdListener;

/** Its key is text. */
@Entity
@EntityListeners(SnowflakeIdListener.class)
public class PortableNote {
    @Id
    @SnowflakeId(value = "purchases", format = SnowflakeFormat.BASE62)
    @Nullable
    String id;
}
