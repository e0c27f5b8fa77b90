// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.persistence.Embeddable;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.snowflakeid.hibernate.SnowflakeId;

/** Each marked member counts once, so that a shape that lacks an id is noticed. */
class MarkedMembersTest {

    static class Base<K> {
        @SnowflakeId
        @Nullable
        K inherited;
    }

    @Embeddable
    static class Inner {
        @SnowflakeId
        @Nullable
        String text = "inner";

        int weight = 1;
    }

    @Embeddable
    static class Outer {
        Inner inner = new Inner();
    }

    @Embeddable
    record Key(@SnowflakeId long number, int tenant) {}

    @SuppressWarnings({"UnusedVariable", "UnusedMethod"}) // by name
    static class Everything extends Base<Long> {
        @SnowflakeId
        private final long field = 2;

        private final Outer outer = new Outer();
        private final Key key = new Key(3, 1);

        @Nullable
        Inner missing;

        final Map<Inner, List<Key>> collected = Map.of();
        final long unmarked = 9;

        @SnowflakeId
        private long getter() {
            return 4;
        }
    }

    @Test
    void findsEachOnce() {
        Everything bean = new Everything();

        assertThat(MarkedMembers.values(bean)).containsExactlyInAnyOrder(null, 2L, "inner", 3L, null, 4L);

        bean.inherited = 1L;
        bean.missing = new Inner();

        assertThat(MarkedMembers.values(bean)).containsExactlyInAnyOrder(1L, 2L, "inner", 3L, "inner", 4L);
        assertThat(MarkedMembers.parts(Everything.class))
                .containsExactlyInAnyOrder(Base.class, Outer.class, Inner.class, Key.class);
    }
}
