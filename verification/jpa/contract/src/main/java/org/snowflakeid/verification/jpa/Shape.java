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

    /** What was marked, as it was stored. */
    List<@Nullable Object> ids();

    /** The embeddables and superclasses that a persistence unit has to name. */
    default List<Class<?>> parts() {
        return List.of();
    }

    /** The annotation can't be obeyed there, and the library says so. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @interface Refused {
        /** What the message has in it. */
        String[] value();
    }
}
