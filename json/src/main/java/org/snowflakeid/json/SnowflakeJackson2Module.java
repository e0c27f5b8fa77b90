// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DatabindContext;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.KeyDeserializer;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBase;
import com.fasterxml.jackson.databind.deser.BeanDeserializerBuilder;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.SettableBeanProperty;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedMember;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.ser.BeanSerializerModifier;
import com.fasterxml.jackson.databind.ser.std.BeanSerializerBase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;

/**
 * For Jackson 2, which shows {@link SnowflakeText} only a part of what it marks. With this module a class that is read through a builder, such
 * as one with Lombok's {@code @Builder @Jacksonized}, reads as ids what is marked in the class; a type with a marked {@code @JsonValue}, or
 * with a creator that takes the whole value by a marked parameter, is read from text only; what is marked in classes of Kotlin is written and
 * read as ids where value classes hide the annotation; and a property with {@code @JsonIdentityInfo} is refused if its references would be
 * numbers, as is one that is marked at the parameter of its setter alone.
 *
 * <p>{@code ObjectMapper.findAndRegisterModules()} finds it. All else works without it.
 */
public final class SnowflakeJackson2Module extends SimpleModule {
    private static final long serialVersionUID = 1L;

    /** To be registered at an {@code ObjectMapper}, or found there. */
    public SnowflakeJackson2Module() {
        super("snowflake-json");
    }

    @Override
    public void setupModule(SetupContext context) {
        context.appendAnnotationIntrospector(new Sign());
        context.addBeanDeserializerModifier(new Reading());
        context.addBeanSerializerModifier(new Writing());
    }

    static boolean isIn(DatabindContext context) {
        return context.getAnnotationIntrospector().allIntrospectors().stream().anyMatch(Sign.class::isInstance);
    }

    /** That the module is there, and what Jackson does not see by itself. */
    private static final class Sign extends NopAnnotationIntrospector {
        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable Object findDeserializer(Annotated annotated) {
            SnowflakeText mark = Jackson2Text.hiddenMark(annotated);
            return mark == null ? null : new Jackson2Text.Deserializer(mark);
        }
    }

    private static final class Reading extends BeanDeserializerModifier {
        private static final long serialVersionUID = 1L;

        @Override
        public BeanDeserializerBuilder updateBuilder(
                DeserializationConfig config, BeanDescription description, BeanDeserializerBuilder builder) {
            List<SettableBeanProperty> all = new ArrayList<>();
            builder.getProperties().forEachRemaining(all::add);
            for (SettableBeanProperty property : all) {
                refuseReferences(property, property.getType(), config);
            }
            JavaType built = builder.getBuildMethod() == null
                    ? null
                    : builder.getBuildMethod().getType();
            Jackson2Parameters.refuseOnMethods(description, name -> built != null && mark(name, built, config) != null);
            if (built != null) {
                for (SettableBeanProperty property : all) {
                    SnowflakeText mark = mark(property.getName(), built, config);
                    if (mark != null && property.getAnnotation(SnowflakeText.class) == null) {
                        builder.addOrReplaceProperty(
                                property.withValueDeserializer(new Jackson2Text.Deserializer(mark)), true);
                    }
                }
            }
            return builder;
        }

        @Override
        public JsonDeserializer<?> modifyDeserializer(
                DeserializationConfig config, BeanDescription description, JsonDeserializer<?> deserializer) {
            JsonDeserializer<?> ofParameter = Jackson2Parameters.reading(description, deserializer);
            if (ofParameter != null) {
                return ofParameter;
            }
            AnnotatedMember value = description.findJsonValueAccessor();
            SnowflakeText mark = value == null ? null : value.getAnnotation(SnowflakeText.class);
            if (mark != null) {
                return new OfText(deserializer, mark.value());
            }
            KotlinValueClass type = KotlinValueClass.marked(description.getBeanClass());
            // What Jackson takes for a bean has a property, which needs no help.
            return type == null || deserializer instanceof BeanDeserializerBase
                    ? deserializer
                    : new Jackson2Reading.Boxed(type.format(), type);
        }

        @Override
        public KeyDeserializer modifyKeyDeserializer(
                DeserializationConfig config, JavaType keyType, KeyDeserializer deserializer) {
            KotlinValueClass type = KotlinValueClass.marked(keyType.getRawClass());
            return type == null ? deserializer : new Jackson2Reading.Key(type.format(), type);
        }
    }

    /** A type of its own for an id. Jackson makes it of a number too. */
    private static final class OfText extends DelegatingDeserializer {
        private static final long serialVersionUID = 1L;

        private final SnowflakeFormat format;

        OfText(JsonDeserializer<?> of, SnowflakeFormat format) {
            super(of);
            this.format = format;
        }

        @Override
        protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> of) {
            return new OfText(of, format);
        }

        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
            long id = Jackson2Reading.read(format, parser);
            return _delegatee instanceof BeanDeserializerBase bean
                            && bean.getValueInstantiator().canCreateFromLong()
                    ? bean.getValueInstantiator().createFromLong(context, id)
                    : super.deserialize(parser, context);
        }
    }

    private static final class Writing extends BeanSerializerModifier {
        private static final long serialVersionUID = 1L;

        @Override
        public List<BeanPropertyWriter> changeProperties(
                SerializationConfig config, BeanDescription description, List<BeanPropertyWriter> properties) {
            Jackson2Parameters.refuseOnMethods(description, name -> false);
            for (BeanPropertyWriter property : properties) {
                refuseReferences(property, property.getType(), config);
                refuseInReferences(property, description);
                SnowflakeText mark = hiddenMark(property, description);
                if (mark != null && !property.hasSerializer()) {
                    JsonSerializer<Object> ids = Jackson2Text.Serializer.of(mark, property);
                    if (ids == null) {
                        throw new IllegalArgumentException(Jackson2Text.misplaced(property));
                    }
                    property.assignSerializer(ids);
                }
            }
            return properties;
        }

        /** Where a superclass has the property, Jackson does not show the serializer this class before it writes. */
        private static void refuseInReferences(BeanPropertyWriter property, BeanDescription description) {
            if (property.getAnnotation(SnowflakeText.class) != null
                    && Jackson2Text.isReference(description.getObjectIdInfo(), property.getName())) {
                throw new IllegalArgumentException(
                        NotText.inReferences(description.getBeanClass().getName() + "#" + property.getName()));
            }
        }

        private static @Nullable SnowflakeText hiddenMark(BeanPropertyWriter property, BeanDescription description) {
            for (BeanPropertyDefinition defined : description.findProperties()) {
                if (defined.getName().equals(property.getName())) {
                    return Jackson2Text.hiddenMark(defined.getConstructorParameter());
                }
            }
            return null;
        }

        @Override
        public JsonSerializer<?> modifySerializer(
                SerializationConfig config, BeanDescription description, JsonSerializer<?> serializer) {
            Jackson2Parameters.refuseBesideUnmarkedValue(description);
            AnnotatedMember value = description.findJsonValueAccessor();
            SnowflakeFormat format = otherThanDecimal(value);
            if (value != null && format != null) {
                return new Jackson2Writing.OfItsOwn(value, format);
            }
            KotlinValueClass type = KotlinValueClass.marked(description.getBeanClass());
            return type == null || serializer instanceof BeanSerializerBase
                    ? serializer
                    : new Jackson2Writing.Id(type.format());
        }

        @Override
        public JsonSerializer<?> modifyKeySerializer(
                SerializationConfig config, JavaType type, BeanDescription description, JsonSerializer<?> serializer) {
            AnnotatedMember key = description.findJsonKeyAccessor();
            AnnotatedMember value = key == null ? description.findJsonValueAccessor() : key;
            SnowflakeFormat format = otherThanDecimal(value);
            if (value != null && format != null) {
                return new Jackson2Writing.KeyOfItsOwn(value, format);
            }
            KotlinValueClass marked = KotlinValueClass.marked(description.getBeanClass());
            return marked == null ? serializer : new Jackson2Writing.Key(marked.format());
        }

        /** Null: Jackson writes it right by itself, or it is no id. */
        private static @Nullable SnowflakeFormat otherThanDecimal(@Nullable AnnotatedMember id) {
            SnowflakeText mark = id == null ? null : id.getAnnotation(SnowflakeText.class);
            return id == null || mark == null || mark.value() == SnowflakeFormat.DECIMAL || !isLong(id.getRawType())
                    ? null
                    : mark.value();
        }
    }

    private static boolean isLong(Class<?> type) {
        return type == long.class || type == Long.class;
    }

    /** Those that the property itself asks for: Jackson does not show them to its values. */
    private static void refuseReferences(BeanProperty property, JavaType type, MapperConfig<?> config) {
        JsonIdentityInfo identity = property.getAnnotation(JsonIdentityInfo.class);
        if (identity != null && identity.generator() == ObjectIdGenerators.PropertyGenerator.class) {
            JavaType referred = type.isContainerType() ? type.getContentType() : type;
            if (mark(identity.property(), referred, config) != null) {
                throw new IllegalArgumentException(
                        NotText.inReferences(referred.getRawClass().getName() + "#" + identity.property()));
            }
        }
    }

    /** That of a property of this type. */
    private static @Nullable SnowflakeText mark(String property, JavaType type, MapperConfig<?> config) {
        for (BeanPropertyDefinition defined : introspected(type, config).findProperties()) {
            if (defined.getName().equals(property)) {
                return Jackson2Text.mark(defined);
            }
        }
        return null;
    }

    private static BeanDescription introspected(JavaType type, MapperConfig<?> config) {
        return config instanceof SerializationConfig written
                ? written.introspect(type)
                : ((DeserializationConfig) config).introspect(type);
    }
}
