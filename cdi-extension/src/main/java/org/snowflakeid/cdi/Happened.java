// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.EventContext;
import jakarta.enterprise.inject.spi.EventMetadata;
import jakarta.enterprise.inject.spi.InjectionPoint;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeEvent;

/** What an observer gets when it is not the container that calls it. */
final class Happened implements EventContext<SnowflakeEvent>, EventMetadata {

    private final SnowflakeEvent event;
    private final Set<Annotation> qualifiers;

    Happened(SnowflakeEvent event, Annotation... qualifiers) {
        this.event = event;
        this.qualifiers = new HashSet<>(List.of(qualifiers));
        this.qualifiers.add(Any.Literal.INSTANCE);
    }

    @Override
    public SnowflakeEvent getEvent() {
        return event;
    }

    @Override
    public EventMetadata getMetadata() {
        return this;
    }

    @Override
    public Set<Annotation> getQualifiers() {
        return qualifiers;
    }

    @Override
    public @Nullable InjectionPoint getInjectionPoint() {
        return null;
    }

    @Override
    public Type getType() {
        return event.getClass();
    }
}
