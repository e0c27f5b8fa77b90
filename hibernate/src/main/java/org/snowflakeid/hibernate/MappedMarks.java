// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.hibernate;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.hibernate.generator.Generator;
import org.hibernate.mapping.Component;
import org.hibernate.mapping.PersistentClass;
import org.hibernate.mapping.Property;
import org.hibernate.mapping.Value;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.cdi.IdAttribute;
import org.snowflakeid.cdi.MarkedMembers;

/** Each {@link SnowflakeId} of an entity, compared with what Hibernate maps. */
final class MappedMarks {

    private static final String CONSTRAINTS = "jakarta.validation.constraints.";

    private final PersistentClass entity;
    private final boolean validated;
    private final Consumer<MarkedColumns.Column> keyColumns;
    private final Consumer<MarkedColumns.Column> columns;

    /**
     * @param validated whether constraints are checked before Hibernate makes ids
     * @param keyColumns is told of those in the key
     * @param columns is told of the others
     */
    MappedMarks(
            PersistentClass entity,
            boolean validated,
            Consumer<MarkedColumns.Column> keyColumns,
            Consumer<MarkedColumns.Column> columns) {
        this.entity = entity;
        this.validated = validated;
        this.keyColumns = keyColumns;
        this.columns = columns;
    }

    /** @throws SnowflakeException if one would be passed over, or would fail at an insert only */
    void check() {
        List<Property> keys = keys();
        List<Property> all = new ArrayList<>(entity.getPropertyClosure());
        all.addAll(keys);
        check(entity.getMappedClass(), all, keys, "", validated);
    }

    private List<Property> keys() {
        if (entity.getIdentifierProperty() != null) {
            return List.of(entity.getIdentifierProperty());
        }
        return entity.getIdentifier() instanceof Component key ? key.getProperties() : List.of();
    }

    private void check(Class<?> type, List<Property> properties, List<Property> keys, String path, boolean validated) {
        Map<String, Property> byName = new HashMap<>();
        properties.forEach(property -> byName.putIfAbsent(property.getName(), property));
        marked(type).forEach((attribute, member) -> {
            Property property = byName.get(attribute);
            refuseUnlessMapped(member, property, type);
            if (path.indexOf('.') != path.lastIndexOf('.')) {
                throw MarkedMembers.misplaced(
                        mark(member).value(),
                        member,
                        "it is in an embeddable inside another one, at " + entity.getEntityName() + "." + path
                                + attribute + ", where Hibernate makes no ids; move it to the entity or to the"
                                + " outer embeddable");
            }
            if (property != null) {
                boolean isKey = keys.contains(property);
                if (!isKey) {
                    refuseIfUnfillable(member, type, validated);
                    refuseUnlessStored(member, property);
                }
                (isKey ? keyColumns : columns)
                        .accept(new MarkedColumns.Column(
                                path + attribute,
                                mark(member).value(),
                                IdAttribute.typeIn(type, member) == long.class));
            }
        });
        for (Property property : byName.values()) {
            if (property.getValue() instanceof Component embedded && !embedded.isEmbedded()) {
                refuseInSubclasses(embedded, type.getClassLoader());
                check(
                        embedded.getComponentClass(),
                        embedded.getProperties(),
                        keys.contains(property) ? embedded.getProperties() : List.of(),
                        path + property.getName() + ".",
                        validated && hasAny(type, property.getName(), "jakarta.validation.Valid"));
            }
        }
    }

    /** Hibernate would ask any embeddable there for the attributes of each subclass, and fail at the insert. */
    private static void refuseInSubclasses(Component embedded, @Nullable ClassLoader loader) {
        if (!embedded.isPolymorphic()) {
            return;
        }
        for (Property property : embedded.getProperties()) {
            String declaring = embedded.getPropertyDeclaringClass(property);
            if (declaring != null) {
                Class<?> type = loaded(declaring, loader);
                Member member = marked(type).get(property.getName());
                if (member != null && !type.isAssignableFrom(embedded.getComponentClass())) {
                    throw MarkedMembers.misplaced(
                            mark(member).value(),
                            member,
                            "it is in a subclass of an embeddable, where Hibernate makes no ids; move it to the entity");
                }
            }
        }
    }

    private static Class<?> loaded(String name, @Nullable ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void refuseUnlessMapped(Member member, @Nullable Property property, Class<?> type) {
        SnowflakeId mark = mark(member);
        new IdAttribute(mark.value(), mark.format(), IdAttribute.typeIn(type, member), member);
        if (property == null) {
            throw MarkedMembers.misplaced(
                    mark.value(), member, "Hibernate stores no attribute of this name; take the annotation away");
        }
        Member mapped = property.getGetter(type).getMember();
        if (mapped instanceof Field != member instanceof Field && !type.isRecord()) {
            throw MarkedMembers.misplaced(
                    mark.value(),
                    member,
                    "Hibernate maps the " + (mapped instanceof Field ? "field" : "getter")
                            + " and does not see it here; move it there");
        }
    }

    private static void refuseUnlessStored(Member member, Property property) {
        if (property.getValueGeneratorCreator() == null) {
            throw unseen(member);
        }
        if (!property.isInsertable()) {
            throw MarkedMembers.misplaced(
                    mark(member).value(),
                    member,
                    "inserts leave its column out, so that the id would be lost; take insertable = false or @Formula away");
        }
    }

    private static SnowflakeException unseen(Member member) {
        return MarkedMembers.misplaced(
                mark(member).value(),
                member,
                "Hibernate does not see it, since a mapping file says metadata-complete; take that away");
    }

    /** @throws SnowflakeException if Hibernate would leave the key as it is, such as 0 */
    void checkKey(Generator ofKey) {
        Property key = entity.getIdentifierProperty();
        Member member = key == null ? null : marked(entity.getMappedClass()).get(key.getName());
        if (member != null && !ofKey.generatesSometimes()) {
            throw unseen(member);
        }
    }

    private static void refuseIfUnfillable(Member member, Class<?> type, boolean validated) {
        if (type.isRecord()) {
            throw MarkedMembers.misplaced(
                    mark(member).value(),
                    member,
                    "the components of a record can't be set; make a class of the record, or set the id yourself");
        }
        String attribute = member instanceof Field ? member.getName() : propertyName(member);
        for (String constraint : List.of("NotNull", "NotBlank", "NotEmpty")) {
            if (validated && hasAny(type, attribute, CONSTRAINTS + constraint)) {
                throw MarkedMembers.misplaced(
                        mark(member).value(),
                        member,
                        "@" + constraint + " is checked before Hibernate makes the id, so that each insert would fail;"
                                + " use @Column(nullable = false) instead");
            }
        }
    }

    private static String propertyName(Member getter) {
        return java.beans.Introspector.decapitalize(getter.getName().replaceFirst("^(get|is)", ""));
    }

    /** Whether the attribute's field or getter has this annotation, for all groups or for that of inserts. */
    private static boolean hasAny(Class<?> type, String attribute, String annotation) {
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            Stream<AnnotatedElement> members = Stream.concat(
                    Stream.<AnnotatedElement>of(declaring.getDeclaredFields())
                            .filter(field -> ((Field) field).getName().equals(attribute)),
                    Stream.<AnnotatedElement>of(declaring.getDeclaredMethods())
                            .filter(method -> ((Method) method).getParameterCount() == 0
                                    && propertyName((Method) method).equals(attribute)));
            if (members.flatMap(member -> Stream.of(member.getAnnotations()))
                    .anyMatch(
                            found -> found.annotationType().getName().equals(annotation) && isOfDefaultGroup(found))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOfDefaultGroup(Annotation constraint) {
        try {
            Class<?>[] groups =
                    (Class<?>[]) constraint.annotationType().getMethod("groups").invoke(constraint);
            return groups.length == 0
                    || Stream.of(groups).anyMatch(group -> group.getName().equals("jakarta.validation.groups.Default"));
        } catch (ReflectiveOperationException e) {
            // @Valid has none.
            return true;
        }
    }

    /**
     * Refuses marks in what a collection holds: Hibernate asks for no ids there.
     *
     * @param role the collection, as entity and attribute
     */
    static void refuseIn(Value part, String role) {
        if (part instanceof Component embedded) {
            marked(embedded.getComponentClass()).values().forEach(member -> {
                throw MarkedMembers.misplaced(
                        mark(member).value(),
                        member,
                        "it is in an embeddable of the collection " + role
                                + ", where Hibernate makes no ids; make an entity of the embeddable, with @OneToMany,"
                                + " or take the annotation away and set the id yourself");
            });
            embedded.getProperties().forEach(property -> refuseIn(property.getValue(), role));
        }
    }

    private static Map<String, Member> marked(Class<?> type) {
        return MarkedMembers.of(type, SnowflakeId.class, SnowflakeId::value);
    }

    private static SnowflakeId mark(Member member) {
        return Objects.requireNonNull(((AnnotatedElement) member).getAnnotation(SnowflakeId.class));
    }
}
