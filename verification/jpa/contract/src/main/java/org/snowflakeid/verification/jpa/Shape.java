// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An entity that puts {@code @SnowflakeId} somewhere: each of its ids must be filled, unless it is {@link Refused}. */
public interface Shape {

    /** What is marked, as it was stored. */
    default List<@Nullable Object> ids() {
        return MarkedMembers.values(this);
    }

    /** The annotation can't be obeyed there, and the library says so. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @interface Refused {
        /** What the message has in it. */
        String[] value();
    }
}
