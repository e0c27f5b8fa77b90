// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.hibernate;

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.EnumSet;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.AnnotationBasedGenerator;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.EventType;
import org.hibernate.generator.EventTypeSets;
import org.hibernate.generator.GeneratorCreationContext;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.cdi.ReferencedGenerator;

/** How Hibernate obeys {@link SnowflakeId}; nobody else needs it. */
// Hibernate may make it while an application is built, before there are beans: so it looks for its generator when it
// needs an id.
public class SnowflakeIdGenerator implements BeforeExecutionGenerator, AnnotationBasedGenerator<SnowflakeId> {
    private static final long serialVersionUID = 1L;

    private @Nullable ReferencedGenerator ids;

    /** For Hibernate. */
    public SnowflakeIdGenerator() {}

    /** @throws SnowflakeException if the annotation stands where it can't be obeyed */
    @Override
    public void initialize(SnowflakeId mark, Member member, GeneratorCreationContext context) {
        Class<?> type = member instanceof Field field ? field.getType() : ((Method) member).getReturnType();
        if (type != Long.class && type != long.class) {
            throw new SnowflakeException("snowflake '" + mark.value() + "': @SnowflakeId stands on " + member
                    + ", which is neither a Long nor a long. Change its type.");
        }
        ids = new ReferencedGenerator(mark.value(), member.toString());
    }

    @Override
    public Object generate(
            SharedSessionContractImplementor session,
            Object owner,
            @Nullable Object currentValue,
            EventType eventType) {
        if (currentValue != null && !currentValue.equals(0L)) {
            return currentValue;
        }
        if (ids == null) {
            throw new IllegalStateException("Hibernate did not initialize this generator");
        }
        return ids.nextId();
    }

    @Override
    public EnumSet<EventType> getEventTypes() {
        return EventTypeSets.INSERT_ONLY;
    }

    @Override
    public boolean allowAssignedIdentifiers() {
        return true;
    }
}
