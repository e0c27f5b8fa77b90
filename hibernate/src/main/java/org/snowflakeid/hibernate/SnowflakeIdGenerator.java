// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.hibernate;

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.EnumSet;
import org.hibernate.engine.config.spi.ConfigurationService;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.AnnotationBasedGenerator;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.EventType;
import org.hibernate.generator.EventTypeSets;
import org.hibernate.generator.GeneratorCreationContext;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Snowflake;
import org.snowflakeid.cdi.IdAttribute;

/** How Hibernate obeys {@link SnowflakeId}; nobody else needs it. */
// Hibernate may make it while an application is built, before there are beans: so with CDI it looks for its generator
// when
// it needs an id.
public class SnowflakeIdGenerator implements BeforeExecutionGenerator, AnnotationBasedGenerator<SnowflakeId> {
    private static final long serialVersionUID = 1L;

    private @Nullable IdAttribute attribute;

    /** Null: that of CDI. */
    private transient @Nullable Snowflake given;

    /** For Hibernate. */
    public SnowflakeIdGenerator() {}

    /** @throws org.snowflakeid.SnowflakeException if the annotation is where it can't be obeyed */
    @Override
    public void initialize(SnowflakeId mark, Member member, GeneratorCreationContext context) {
        Class<?> type = member instanceof Field field ? field.getType() : ((Method) member).getReturnType();
        attribute = new IdAttribute(mark.value(), mark.format(), type, member.toString());
        ConfigurationService settings = context.getServiceRegistry().requireService(ConfigurationService.class);
        if (settings.getSettings().get(GeneratorSource.SETTING) instanceof GeneratorSource source) {
            given = source.named(mark.value());
        }
    }

    @Override
    public Object generate(
            SharedSessionContractImplementor session,
            @Nullable Object owner,
            @Nullable Object currentValue,
            EventType eventType) {
        if (attribute == null) {
            throw new IllegalStateException("Hibernate did not initialize this generator");
        }
        // An insert that is written as a query has no entity.
        Object present = currentValue == null && owner != null ? keyOf(owner, session) : currentValue;
        if (present != null && !attribute.isMissing(present)) {
            return present;
        }
        return given == null ? attribute.next() : attribute.next(given);
    }

    /**
     * Hibernate Reactive does not show which key an entity has already.
     *
     * @return null if it has none, or this is not the generator of its key
     */
    private @Nullable Object keyOf(Object owner, SharedSessionContractImplementor session) {
        EntityPersister entity = session.getEntityPersister(null, owner);
        return equals(entity.getGenerator()) ? entity.getIdentifier(owner, session) : null;
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
