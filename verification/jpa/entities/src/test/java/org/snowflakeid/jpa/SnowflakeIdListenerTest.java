// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jpa;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.MappedSuperclass;
import java.math.BigInteger;
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

    @MappedSuperclass
    static class Row<K> {
        @SnowflakeId("rows")
        @Nullable
        K key;
    }

    @Entity
    static class Visit extends Row<BigInteger> {}

    @Entity
    static class Seat {
        @SnowflakeId("seats")
        int getNumber() {
            return 0;
        }

        void setNumber(int number) {
            throw new AssertionError(number);
        }
    }

    @Test
    void aTypeThatCannotHoldAnIdIsNamedWithThoseThatCan() {
        assertRefused(
                new Seat(),
                "snowflake 'seats': @SnowflakeId on org.snowflakeid.jpa.SnowflakeIdListenerTest$Seat.getNumber():"
                        + " type int is not supported; use Long, long, String or UUID.");
    }

    @Test
    void aTypeThatASubclassChoosesIsNamedInFull() {
        assertRefused(
                new Visit(),
                "snowflake 'rows': @SnowflakeId on org.snowflakeid.jpa.SnowflakeIdListenerTest$Row.key:"
                        + " type java.math.BigInteger is not supported; use Long, long, String or UUID.");
    }

    private static void assertRefused(Object entity, String message) {
        assertThatThrownBy(() -> new SnowflakeIdListener().fill(entity))
                .isInstanceOf(SnowflakeException.class)
                .hasMessage(message);
    }

    // it said that there is no setter, which a record can't have
    @Test
    void anIdInARecordIsRefusedWithARemedyThatHelps() {
        assertRefused(
                new Parcel(),
                "snowflake 'labels': @SnowflakeId on org.snowflakeid.jpa.SnowflakeIdListenerTest$Label.reference:"
                        + " the components of a record can't be set; make a class of the record.");
    }

    @Entity
    static class Ticket {
        @SnowflakeId("tickets")
        @Nullable
        Long getNumber() {
            return null;
        }
    }

    @Test
    void aGetterWithoutASetterIsNamed() {
        assertRefused(
                new Ticket(),
                "snowflake 'tickets': @SnowflakeId on org.snowflakeid.jpa.SnowflakeIdListenerTest$Ticket.getNumber():"
                        + " it has no setter beside it; add one, or put the annotation on the field.");
    }
}
