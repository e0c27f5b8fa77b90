// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jpa;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.snowflakeid.SnowflakeException;

/** The attributes that it refuses with every provider. */
class SnowflakeIdListenerTest {

    @Embeddable
    record Label(@SnowflakeId("labels") @Nullable Long reference) {}

    @Entity
    static class Parcel {
        @Embedded
        Label label = new Label(null);
    }

    // it said that there is no setter, which a record can't have
    @Test
    void anIdInARecordIsRefusedWithARemedyThatHelps() {
        assertThatThrownBy(() -> new SnowflakeIdListener().fill(new Parcel()))
                .isInstanceOf(SnowflakeException.class)
                .hasMessageContaining("snowflake 'labels': @SnowflakeId stands on ")
                .hasMessageContaining("Label.reference, which belongs to a record")
                .hasMessageContaining("Make a class of the record.");
    }
}
