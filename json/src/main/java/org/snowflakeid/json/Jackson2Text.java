// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DatabindContext;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.ContextualDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedClass;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.AnnotatedMethod;
import com.fasterxml.jackson.databind.introspect.AnnotatedParameter;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.introspect.ObjectIdInfo;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.ser.ContextualSerializer;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import java.io.IOException;
import java.lang.reflect.Constructor;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;

/** What {@link SnowflakeText} means in Jackson 2. */
final class Jackson2Text {

    private Jackson2Text() {}

    /** A type variable may be in an id's place. */
    private static boolean mayBeId(BeanProperty property) {
        return property.getType().getRawClass().isAssignableFrom(Long.class);
    }

    static String misplaced(BeanProperty property) {
        String type = property.getType().toCanonical();
        return property.getMember() instanceof AnnotatedMethod method
                ? NotText.misplacedOnMethod(method.getFullName(), type)
                : NotText.misplaced(place(property), type);
    }

    private static String place(BeanProperty property) {
        AnnotatedMember member = property.getMember();
        if (member == null) {
            return property.getName();
        }
        return member instanceof AnnotatedParameter
                ? member.getDeclaringClass().getName() + "#" + property.getName()
                : member.getFullName();
    }

    /** The annotation of a property, on its field, its methods, or a parameter. */
    static @Nullable SnowflakeText mark(BeanPropertyDefinition property) {
        for (AnnotatedMember member : new AnnotatedMember[] {
            property.getField(), property.getGetter(), property.getSetter(), property.getConstructorParameter()
        }) {
            SnowflakeText mark = member == null ? null : member.getAnnotation(SnowflakeText.class);
            if (mark != null) {
                return mark;
            }
        }
        return null;
    }

    private static void refuseAnyProperty(BeanProperty property, DatabindContext context) throws JsonMappingException {
        if (property.getAnnotation(JsonAnyGetter.class) != null
                || property.getAnnotation(JsonAnySetter.class) != null) {
            context.reportBadDefinition(property.getType(), NotText.onAnyProperty(place(property)));
        }
    }

    /** That of a parameter for this property, where Jackson does not show it. */
    static @Nullable SnowflakeText hiddenMark(@Nullable Annotated parameter) {
        return parameter instanceof AnnotatedParameter at && at.getOwner().getAnnotated() instanceof Constructor<?> of
                ? KotlinValueClass.hiddenMark(of, at.getIndex())
                : null;
    }

    static final class Serializer extends StdSerializer<Object> implements ContextualSerializer {
        private static final long serialVersionUID = 1L;

        Serializer() {
            super(Object.class);
        }

        @Override
        public JsonSerializer<?> createContextual(SerializerProvider provider, @Nullable BeanProperty property)
                throws JsonMappingException {
            SnowflakeText mark = property == null ? null : property.getAnnotation(SnowflakeText.class);
            if (property == null || mark == null) {
                // This is about another property, which has a value that is written as an id.
                return new Jackson2Writing.Id(SnowflakeFormat.DECIMAL);
            }
            refuseAnyProperty(property, provider);
            AnnotatedMember member = property.getMember();
            if (member != null) {
                // Where references are all that is written of an object, this property never is.
                JavaType type = provider.constructType(member.getDeclaringClass());
                refuseInReferences(type, annotated(type, provider), property.getName(), place(property), provider);
            }
            JsonSerializer<Object> ids = of(mark, property);
            return ids == null ? provider.reportBadDefinition(property.getType(), misplaced(property)) : ids;
        }

        /** Null: the property holds no ids. */
        static @Nullable JsonSerializer<Object> of(SnowflakeText mark, BeanProperty property) {
            JsonSerializer<Object> ids = mayBeId(property)
                    ? new Jackson2Writing.Id(mark.value())
                    : Jackson2Writing.of(property.getType(), mark.value(), property);
            return ids == null ? null : new Checked(ids, property);
        }

        @Override
        public void serialize(Object id, JsonGenerator generator, SerializerProvider provider) throws IOException {
            new Jackson2Writing.Id(SnowflakeFormat.DECIMAL).serialize(id, generator, provider);
        }
    }

    /** Refuses beans that could not be read again as they are written. Jackson shows their classes here only. */
    private static final class Checked extends StdSerializer<Object> {
        private static final long serialVersionUID = 1L;

        private final transient JsonSerializer<Object> ids;
        private final String name;
        private final String member;
        private final String place;
        private volatile @Nullable Class<?> checked;

        Checked(JsonSerializer<Object> ids, BeanProperty property) {
            super(Object.class);
            this.ids = ids;
            this.name = property.getName();
            this.member =
                    property.getMember() == null ? name : property.getMember().getName();
            this.place = place(property);
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializerProvider provider) throws IOException {
            Object bean = generator.getOutputContext().getCurrentValue();
            if (bean != null && bean.getClass() != checked) {
                check(bean.getClass(), provider);
                checked = bean.getClass();
            }
            ids.serialize(value, generator, provider);
        }

        /** The property says which class it has: a mapper that names the class of each value needs no name here. */
        @Override
        public void serializeWithType(
                Object value, JsonGenerator generator, SerializerProvider provider, TypeSerializer unused)
                throws IOException {
            serialize(value, generator, provider);
        }

        @Override
        public boolean isEmpty(SerializerProvider provider, Object value) {
            return ids.isEmpty(provider, value);
        }

        private void check(Class<?> bean, SerializerProvider provider) throws JsonMappingException {
            JavaType type = provider.constructType(bean);
            AnnotatedClass annotated = annotated(type, provider);
            refuseInReferences(type, annotated, name, place, provider);
            Class<?> builder = provider.getAnnotationIntrospector().findPOJOBuilder(annotated);
            if (builder != null
                    && !SnowflakeJackson2Module.isIn(provider)
                    && !BuilderMarks.isOn(name, member, builder)) {
                provider.reportBadDefinition(
                        type,
                        NotText.unmarkedInBuilder(
                                place, builder.getName(), SnowflakeJackson2Module.class.getSimpleName()));
            }
        }
    }

    private static AnnotatedClass annotated(JavaType type, SerializerProvider provider) {
        return provider.getConfig().introspectClassAnnotations(type).getClassInfo();
    }

    private static void refuseInReferences(
            JavaType type, AnnotatedClass annotated, String name, String place, SerializerProvider provider)
            throws JsonMappingException {
        if (isReference(provider.getAnnotationIntrospector().findObjectIdInfo(annotated), name)) {
            provider.reportBadDefinition(type, NotText.inReferences(place));
        }
    }

    /** Whether objects are referred to by this property. */
    static boolean isReference(@Nullable ObjectIdInfo reference, String property) {
        return reference != null
                && reference.getGeneratorType() == ObjectIdGenerators.PropertyGenerator.class
                && reference.getPropertyName().getSimpleName().equals(property);
    }

    static final class Deserializer extends StdDeserializer<Object> implements ContextualDeserializer {
        private static final long serialVersionUID = 1L;

        /** Null: that of the property. */
        private final transient @Nullable SnowflakeText given;

        Deserializer() {
            this(null);
        }

        Deserializer(@Nullable SnowflakeText given) {
            super(Object.class);
            this.given = given;
        }

        @Override
        public JsonDeserializer<?> createContextual(DeserializationContext context, @Nullable BeanProperty property)
                throws JsonMappingException {
            SnowflakeText mark =
                    given != null || property == null ? given : property.getAnnotation(SnowflakeText.class);
            if (property == null || mark == null) {
                return new Jackson2Reading.Id(
                        SnowflakeFormat.DECIMAL,
                        property != null && property.getType().isPrimitive());
            }
            refuseAnyProperty(property, context);
            refuseInReferences(property, context);
            JsonDeserializer<?> ids = mayBeId(property)
                    ? new Jackson2Reading.Untyped(new Jackson2Reading.Id(mark.value(), false))
                    : Jackson2Reading.of(property.getType(), mark.value(), context, property);
            return ids == null ? context.reportBadDefinition(property.getType(), misplaced(property)) : ids;
        }

        private static void refuseInReferences(BeanProperty property, DeserializationContext context)
                throws JsonMappingException {
            JsonIdentityInfo identity = property.getContextAnnotation(JsonIdentityInfo.class);
            if (identity != null
                    && identity.generator() == ObjectIdGenerators.PropertyGenerator.class
                    && identity.property().equals(property.getName())) {
                context.reportBadDefinition(property.getType(), NotText.inReferences(place(property)));
            }
        }

        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            return new Jackson2Reading.Id(SnowflakeFormat.DECIMAL, false).deserialize(parser, context);
        }
    }
}
