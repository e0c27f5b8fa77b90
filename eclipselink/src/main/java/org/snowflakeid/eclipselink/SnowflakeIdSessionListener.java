// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.eclipselink;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.eclipse.persistence.descriptors.ClassDescriptor;
import org.eclipse.persistence.descriptors.DescriptorEvent;
import org.eclipse.persistence.descriptors.DescriptorEventAdapter;
import org.eclipse.persistence.mappings.AggregateObjectMapping;
import org.eclipse.persistence.mappings.DatabaseMapping;
import org.eclipse.persistence.sessions.Session;
import org.eclipse.persistence.sessions.SessionEvent;
import org.eclipse.persistence.sessions.SessionEventAdapter;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.cdi.IdAttribute;

/**
 * Fills what {@link SnowflakeId} marks, in all entities of a persistence unit that names it:
 *
 * <pre>{@code
 * <property name="eclipselink.session-event-listener" value="org.snowflakeid.eclipselink.SnowflakeIdSessionListener"/>
 * }</pre>
 */
// Not a SessionCustomizer: EclipseLink moved that to another package, so that no class is one in all its versions.
public class SnowflakeIdSessionListener extends SessionEventAdapter {

    /** For EclipseLink. */
    public SnowflakeIdSessionListener() {}

    /** @throws org.snowflakeid.SnowflakeException if an annotation is where it can't be obeyed */
    @Override
    public void preLogin(SessionEvent event) {
        Session session = event.getSession();
        for (ClassDescriptor descriptor : session.getDescriptors().values()) {
            List<Marked> marked = marked(session, descriptor);
            // What is embedded has no events of its own.
            if (!marked.isEmpty() && !descriptor.isAggregateDescriptor()) {
                descriptor.getEventManager().addListener(new BeforePersist(marked));
            }
        }
    }

    private static List<Marked> marked(Session session, ClassDescriptor descriptor) {
        List<Marked> all = new ArrayList<>();
        for (DatabaseMapping mapping : descriptor.getMappings()) {
            String attribute = mapping.getAttributeName();
            members(descriptor.getJavaClass(), attribute)
                    .filter(member -> member.isAnnotationPresent(SnowflakeId.class))
                    .findFirst()
                    .ifPresent(member -> all.add(Marked.of(attribute, member, descriptor.getJavaClass())));
            if (mapping instanceof AggregateObjectMapping embedded) {
                List<Marked> parts = marked(session, session.getDescriptor(embedded.getReferenceClass()));
                if (!parts.isEmpty()) {
                    all.add(new Marked(attribute, null, parts));
                }
            }
        }
        return all;
    }

    /** The field and the getter of an attribute. */
    private static Stream<AnnotatedElement> members(Class<?> entity, String attribute) {
        String getter = "get" + attribute.substring(0, 1).toUpperCase(Locale.ROOT) + attribute.substring(1);
        List<AnnotatedElement> members = new ArrayList<>();
        for (Class<?> declaring = entity; declaring != null; declaring = declaring.getSuperclass()) {
            for (Field field : declaring.getDeclaredFields()) {
                if (field.getName().equals(attribute)) {
                    members.add(field);
                }
            }
            for (Method method : declaring.getDeclaredMethods()) {
                if (method.getName().equals(getter) && method.getParameterCount() == 0) {
                    members.add(method);
                }
            }
        }
        return members.stream();
    }

    /** An attribute that wants an id, or that holds an embeddable with parts that want one. */
    private record Marked(String attribute, @Nullable IdAttribute ids, List<Marked> parts) {

        static Marked of(String attribute, AnnotatedElement element, Class<?> owner) {
            SnowflakeId mark = element.getAnnotation(SnowflakeId.class);
            Member member = (Member) element;
            Class<?> type = IdAttribute.typeIn(owner, member);
            return new Marked(attribute, new IdAttribute(mark.value(), mark.format(), type, member), List.of());
        }

        /** @param descriptor of the owner, where its mappings are ready: each place of an embeddable has its own */
        void fill(ClassDescriptor descriptor, Object owner) {
            DatabaseMapping mapping = descriptor.getMappingForAttributeName(attribute);
            Object value = mapping.getAttributeValueFromObject(owner);
            if (ids == null) {
                if (value != null) {
                    parts.forEach(part -> part.fill(mapping.getReferenceDescriptor(), value));
                }
            } else if (ids.isMissing(value)) {
                mapping.setAttributeValueInObject(owner, ids.next());
            }
        }
    }

    private static final class BeforePersist extends DescriptorEventAdapter {
        private final List<Marked> marked;

        BeforePersist(List<Marked> marked) {
            this.marked = marked;
        }

        @Override
        public void prePersist(DescriptorEvent event) {
            marked.forEach(attribute -> attribute.fill(event.getDescriptor(), event.getSource()));
        }
    }
}
