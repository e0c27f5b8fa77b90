// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.eclipselink;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.eclipse.persistence.descriptors.ClassDescriptor;
import org.eclipse.persistence.descriptors.DescriptorEvent;
import org.eclipse.persistence.descriptors.DescriptorEventAdapter;
import org.eclipse.persistence.descriptors.InheritancePolicy;
import org.eclipse.persistence.internal.queries.MappedKeyMapContainerPolicy;
import org.eclipse.persistence.mappings.AggregateCollectionMapping;
import org.eclipse.persistence.mappings.AggregateObjectMapping;
import org.eclipse.persistence.mappings.CollectionMapping;
import org.eclipse.persistence.mappings.DatabaseMapping;
import org.eclipse.persistence.sessions.Session;
import org.eclipse.persistence.sessions.SessionEvent;
import org.eclipse.persistence.sessions.SessionEventAdapter;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.cdi.IdAttribute;
import org.snowflakeid.cdi.MarkedMembers;

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
        Class<?> type = descriptor.getJavaClass();
        Map<String, Member> members = MarkedMembers.of(type, SnowflakeId.class, SnowflakeId::value);
        List<Marked> all = new ArrayList<>();
        for (DatabaseMapping mapping : descriptor.getMappings()) {
            String attribute = mapping.getAttributeName();
            Member member = members.remove(attribute);
            if (member != null) {
                refuseUnlessStored(member, mapping);
                all.add(Marked.of(attribute, member, type));
            }
            if (mapping instanceof AggregateObjectMapping embedded) {
                List<Marked> parts = marked(session, session.getDescriptor(embedded.getReferenceClass()));
                if (!parts.isEmpty()) {
                    all.add(new Marked(attribute, null, parts));
                }
            }
            refuseInElementsOf(session, mapping, type.getName() + "." + attribute);
        }
        inherited(session, descriptor).forEach(members::remove);
        members.values().forEach(member -> {
            throw MarkedMembers.misplaced(
                    mark(member).value(),
                    member,
                    "EclipseLink stores no attribute of this name; take the annotation away");
        });
        return all;
    }

    private static void refuseUnlessStored(Member member, DatabaseMapping mapping) {
        if (mapping.getField() != null && !mapping.getField().isInsertable()) {
            throw MarkedMembers.misplaced(
                    mark(member).value(),
                    member,
                    "inserts leave its column out, so that the id would be lost; take insertable = false away");
        }
        if (mapping.getField() != null
                && mapping.getField().equals(mapping.getDescriptor().getSequenceNumberField())) {
            throw MarkedMembers.misplaced(
                    mark(member).value(), member, "@GeneratedValue would replace the id; take it away");
        }
    }

    /** The attributes of entities that this one extends: they are filled as those of these. */
    private static List<String> inherited(Session session, ClassDescriptor descriptor) {
        List<String> attributes = new ArrayList<>();
        InheritancePolicy policy = descriptor.getInheritancePolicyOrNull();
        while (policy != null && policy.getParentClass() != null) {
            ClassDescriptor parent = session.getDescriptor(policy.getParentClass());
            parent.getMappings().forEach(mapping -> attributes.add(mapping.getAttributeName()));
            policy = parent.getInheritancePolicyOrNull();
        }
        return attributes;
    }

    /** What a collection holds has no events, and may be added later. */
    private static void refuseInElementsOf(Session session, DatabaseMapping mapping, String collection) {
        if (mapping instanceof AggregateCollectionMapping elements) {
            refuseIn(session, elements.getReferenceClass(), collection);
        }
        if (mapping instanceof CollectionMapping map
                && map.getContainerPolicy() instanceof MappedKeyMapContainerPolicy keys
                && keys.getKeyMapping() instanceof AggregateObjectMapping key) {
            refuseIn(session, key.getReferenceClass(), collection);
        }
    }

    private static void refuseIn(Session session, Class<?> part, String collection) {
        MarkedMembers.of(part, SnowflakeId.class, SnowflakeId::value).values().forEach(member -> {
            throw MarkedMembers.misplaced(
                    mark(member).value(),
                    member,
                    "it is in an embeddable of the collection " + collection
                            + ", for which EclipseLink tells of no inserts; make an entity of the embeddable, with @OneToMany,"
                            + " or take the annotation away and set the id yourself");
        });
        for (DatabaseMapping mapping : session.getDescriptor(part).getMappings()) {
            if (mapping instanceof AggregateObjectMapping embedded) {
                refuseIn(session, embedded.getReferenceClass(), collection);
            }
        }
    }

    private static SnowflakeId mark(Member member) {
        return Objects.requireNonNull(((AnnotatedElement) member).getAnnotation(SnowflakeId.class));
    }

    /** An attribute that wants an id, or that holds an embeddable with parts that want one. */
    private record Marked(String attribute, @Nullable IdAttribute ids, List<Marked> parts) {

        static Marked of(String attribute, Member member, Class<?> owner) {
            SnowflakeId mark = mark(member);
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
