// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.hibernate;

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.EnumSet;
import org.hibernate.engine.config.spi.ConfigurationService;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.AnnotationBasedGenerator;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.EventType;
import org.hibernate.generator.EventTypeSets;
import org.hibernate.generator.GeneratorCreationContext;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.hibernate.persister.entity.EntityPersister;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.cdi.IdAttribute;

/** How Hibernate obeys {@link SnowflakeId}; applications don't need it. */
// Hibernate may make it while an application is built, before there are beans: so with CDI it looks for its
// generator when it needs an id.
public class SnowflakeIdGenerator implements BeforeExecutionGenerator, AnnotationBasedGenerator<SnowflakeId> {
    private static final long serialVersionUID = 1L;

    private @Nullable IdAttribute attribute;

    /** The attribute's name. Null: it is the key, or in an embeddable. */
    private @Nullable String column;

    /** The name of its hierarchy's root. Null: this is no key, or in an embeddable. */
    private @Nullable String keyOf;

    /** Null: that of CDI. */
    private transient @Nullable Snowflake given;

    /** For Hibernate. */
    public SnowflakeIdGenerator() {}

    /** @throws org.snowflakeid.SnowflakeException if the annotation is where it can't be obeyed */
    @Override
    public void initialize(SnowflakeId mark, Member member, GeneratorCreationContext context) {
        Type declared =
                member instanceof Field field ? field.getGenericType() : ((Method) member).getGenericReturnType();
        // In a generic superclass the entity decides the type.
        Class<?> type = declared instanceof Class<?> known
                ? known
                : context.getProperty().getType().getReturnedClass();
        attribute = new IdAttribute(mark.value(), mark.format(), type, member);
        Property property = context.getProperty();
        PersistentClass entity = context.getPersistentClass();
        // Hibernate 6 does not tell which entity an embeddable belongs to.
        column = entity != null && entity.getPropertyClosure().contains(property) ? property.getName() : null;
        keyOf = entity != null && column == null ? entity.getRootClass().getEntityName() : null;
        ConfigurationService settings = context.getServiceRegistry().requireService(ConfigurationService.class);
        Object source = settings.getSettings().get(GeneratorSource.SETTING);
        if (source instanceof GeneratorSource generators) {
            given = generators.named(mark.value());
        } else if (source != null) {
            throw new SnowflakeException("snowflake '" + mark.value() + "': the setting " + GeneratorSource.SETTING
                    + " is " + source + ", which is no object of " + GeneratorSource.class.getName()
                    + ". Pass one, such as name -> ids, in the map of settings.");
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
        if (owner == null && keyOf != null) {
            MarkedColumns.of(session.getFactory()).refuseUncheckedInsert(keyOf);
        }
        Object present = owner == null ? currentValue : present(attribute, owner, currentValue, session);
        if (present != null && !attribute.isMissing(present)) {
            return present;
        }
        return given == null ? attribute.next() : attribute.next(given);
    }

    /** Null if it has no value. Hibernate does not show a generator all values of an entity. */
    private @Nullable Object present(
            IdAttribute attribute,
            Object owner,
            @Nullable Object currentValue,
            SharedSessionContractImplementor session) {
        if (column != null) {
            // Hibernate shows its value at the time it was persisted, which may have been set since.
            Object now = session.getEntityPersister(null, owner).getPropertyValue(owner, column);
            return attribute.isMissing(now) ? currentValue : now;
        }
        if (currentValue != null) {
            return currentValue;
        }
        // Hibernate Reactive does not show the key that an entity already has.
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
