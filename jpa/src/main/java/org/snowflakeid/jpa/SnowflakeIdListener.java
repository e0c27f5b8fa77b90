// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jpa;

import jakarta.persistence.PrePersist;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Fills what {@link SnowflakeId} marks. Name it at an entity or at a mapped superclass, {@code @EntityListeners(SnowflakeIdListener.class)},
 * or let it listen to all entities of a persistence unit by the mapping file of this jar:
 *
 * <pre>{@code
 * <mapping-file>META-INF/snowflake-orm.xml</mapping-file>
 * }</pre>
 */
public class SnowflakeIdListener {

    private final Map<Class<?>, List<MarkedAttribute>> attributes = new ConcurrentHashMap<>();

    /** For the persistence provider. */
    public SnowflakeIdListener() {}

    /** @throws org.snowflakeid.SnowflakeException if there is no id now, or an annotation is where it can't be obeyed */
    @PrePersist
    public void fill(Object entity) {
        attributes
                .computeIfAbsent(entity.getClass(), MarkedAttribute::allOf)
                .forEach(attribute -> attribute.fill(entity));
    }
}
