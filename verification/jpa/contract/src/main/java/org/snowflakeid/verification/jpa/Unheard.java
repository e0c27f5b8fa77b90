// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.jpa.SnowflakeId;

/** It names no listener: a mapping file does. */
@Entity
public class Unheard {
    @Id
    @SnowflakeId
    @Nullable
    Long id;

    @SnowflakeId
    @Nullable
    String code;

    @Embedded
    Part part = new Part();

    /** A part of it, with what value objects usually have: a constant of their own type, and methods that make others. */
    @Embeddable
    public static class Part {
        public static final Part NONE = new Part();

        @SnowflakeId("purchases")
        @Nullable
        Long reference;

        @SnowflakeId(format = SnowflakeFormat.DECIMAL)
        @Nullable
        String tag;

        public Part with(Long other) {
            Part changed = new Part();
            changed.reference = other;
            return changed;
        }

        /** A property by its name. */
        public Part getNext() {
            return with(reference == null ? 1 : reference + 1);
        }
    }
}
