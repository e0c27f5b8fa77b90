// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DatabindContext;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.BeanDeserializerBuilder;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;

/**
 * For Jackson 3, which shows {@link SnowflakeText} only a part of what it marks. With this module a class that is read through a builder, such
 * as one with Lombok's {@code @Builder @Jacksonized}, reads as ids what is marked in the class; a type with a marked {@code @JsonValue}, or
 * with a creator that takes the whole value by a marked parameter, is read from text only; what is marked in classes of Kotlin is written and
 * read as ids where value classes hide the annotation; and a property with {@code @JsonIdentityInfo} is refused if its references would be
 * numbers, as is one that is marked at the parameter of its setter alone.
 *
 * <p>{@code MapperBuilder.findAndAddModules()} finds it. All else works without it.
 */
public final class SnowflakeJackson3Module extends SimpleModule {
    private static final long serialVersionUID = 1L;

    /** To be registered at an {@code MapperBuilder}, or found there. */
    public SnowflakeJackson3Module() {
        super("snowflake-json");
    }

    @Override
    public void setupModule(SetupContext context) {
        context.appendAnnotationIntrospector(new Sign());
        context.addDeserializerModifier(new Reading());
        context.addSerializerModifier(new Writing());
    }

    static boolean isIn(DatabindContext context) {
        return context.getAnnotationIntrospector().allIntrospectors().stream().anyMatch(Sign.class::isInstance);
    }

    /** That the module is there, and what Jackson does not see by itself. */
    private static final class Sign extends NopAnnotationIntrospector {
        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable Object findDeserializer(MapperConfig<?> config, Annotated annotated) {
            SnowflakeText mark = Jackson3Text.hiddenMark(annotated);
            return mark == null ? null : new Jackson3Text.Deserializer(mark);
        }
    }

    private static final class Reading extends ValueDeserializerModifier {
        private static final long serialVersionUID = 1L;

        @Override
        public BeanDeserializerBuilder updateBuilder(
                DeserializationConfig config, BeanDescription.Supplier description, BeanDeserializerBuilder builder) {
            List<SettableBeanProperty> all = new ArrayList<>();
            builder.getProperties().forEachRemaining(all::add);
            for (SettableBeanProperty property : all) {
                refuseReferences(property, property.getType(), config);
            }
            JavaType built = builder.getBuildMethod() == null
                    ? null
                    : builder.getBuildMethod().getType();
            Jackson3Parameters.refuseOnMethods(
                    description.get(), name -> built != null && mark(name, built, config) != null);
            if (built != null) {
                for (SettableBeanProperty property : all) {
                    SnowflakeText mark = mark(property.getName(), built, config);
                    if (mark != null && property.getAnnotation(SnowflakeText.class) == null) {
                        builder.addOrReplaceProperty(
                                property.withValueDeserializer(new Jackson3Text.Deserializer(mark)), true);
                    }
                }
            }
            return builder;
        }

        @Override
        public ValueDeserializer<?> modifyDeserializer(
                DeserializationConfig config, BeanDescription.Supplier description, ValueDeserializer<?> deserializer) {
            ValueDeserializer<?> ofParameter = Jackson3Parameters.reading(description.get(), deserializer);
            if (ofParameter != null) {
                return ofParameter;
            }
            AnnotatedMember value = description.get().findJsonValueAccessor();
            SnowflakeText mark = value == null ? null : value.getAnnotation(SnowflakeText.class);
            if (mark != null) {
                return new OfText(deserializer, mark.value());
            }
            KotlinValueClass type = KotlinValueClass.marked(description.getBeanClass());
            // What Jackson takes for a bean has a property, which needs no help.
            return type == null || deserializer instanceof BeanDeserializerBase
                    ? deserializer
                    : new Jackson3Reading.Boxed(type.format(), type);
        }

        @Override
        public KeyDeserializer modifyKeyDeserializer(
                DeserializationConfig config, JavaType keyType, KeyDeserializer deserializer) {
            KotlinValueClass type = KotlinValueClass.marked(keyType.getRawClass());
            return type == null ? deserializer : new Jackson3Reading.Key(type.format(), type);
        }
    }

    /** A type of its own for an id. Jackson makes it of a number too. */
    private static final class OfText extends DelegatingDeserializer {
        private static final long serialVersionUID = 1L;

        private final SnowflakeFormat format;

        OfText(ValueDeserializer<?> of, SnowflakeFormat format) {
            super(of);
            this.format = format;
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> of) {
            return new OfText(of, format);
        }

        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context) {
            long id = Jackson3Reading.read(format, parser);
            return _delegatee instanceof BeanDeserializerBase bean
                            && bean.getValueInstantiator().canCreateFromLong()
                    ? bean.getValueInstantiator().createFromLong(context, id)
                    : super.deserialize(parser, context);
        }
    }

    private static final class Writing extends ValueSerializerModifier {
        private static final long serialVersionUID = 1L;

        @Override
        public List<BeanPropertyWriter> changeProperties(
                SerializationConfig config, BeanDescription.Supplier description, List<BeanPropertyWriter> properties) {
            Jackson3Parameters.refuseOnMethods(description.get(), name -> false);
            for (BeanPropertyWriter property : properties) {
                refuseReferences(property, property.getType(), config);
                refuseInReferences(property, description.get());
                SnowflakeText mark = hiddenMark(property, description.get());
                if (mark != null && !property.hasSerializer()) {
                    ValueSerializer<Object> ids = Jackson3Text.Serializer.of(mark, property);
                    if (ids == null) {
                        throw new IllegalArgumentException(Jackson3Text.misplaced(property));
                    }
                    property.assignSerializer(ids);
                }
            }
            return properties;
        }

        /** Where a superclass has the property, Jackson does not show the serializer this class before it writes. */
        private static void refuseInReferences(BeanPropertyWriter property, BeanDescription description) {
            if (property.getAnnotation(SnowflakeText.class) != null
                    && Jackson3Text.isReference(description.getObjectIdInfo(), property.getName())) {
                throw new IllegalArgumentException(
                        NotText.inReferences(description.getBeanClass().getName() + "#" + property.getName()));
            }
        }

        private static @Nullable SnowflakeText hiddenMark(BeanPropertyWriter property, BeanDescription description) {
            for (BeanPropertyDefinition defined : description.findProperties()) {
                if (defined.getName().equals(property.getName())) {
                    return Jackson3Text.hiddenMark(defined.getConstructorParameter());
                }
            }
            return null;
        }

        @Override
        public ValueSerializer<?> modifySerializer(
                SerializationConfig config, BeanDescription.Supplier description, ValueSerializer<?> serializer) {
            Jackson3Parameters.refuseBesideUnmarkedValue(description.get());
            AnnotatedMember value = description.get().findJsonValueAccessor();
            SnowflakeFormat format = otherThanDecimal(value);
            if (value != null && format != null) {
                return new Jackson3Writing.OfItsOwn(value, format);
            }
            KotlinValueClass type = KotlinValueClass.marked(description.getBeanClass());
            return type == null || serializer instanceof BeanSerializerBase
                    ? serializer
                    : new Jackson3Writing.Id(type.format());
        }

        @Override
        public ValueSerializer<?> modifyKeySerializer(
                SerializationConfig config,
                JavaType type,
                BeanDescription.Supplier description,
                ValueSerializer<?> serializer) {
            AnnotatedMember key = description.get().findJsonKeyAccessor();
            AnnotatedMember value = key == null ? description.get().findJsonValueAccessor() : key;
            SnowflakeFormat format = otherThanDecimal(value);
            if (value != null && format != null) {
                return new Jackson3Writing.KeyOfItsOwn(value, format);
            }
            KotlinValueClass marked = KotlinValueClass.marked(description.get().getBeanClass());
            return marked == null ? serializer : new Jackson3Writing.Key(marked.format());
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
                return Jackson3Text.mark(defined);
            }
        }
        return null;
    }

    private static BeanDescription introspected(JavaType type, MapperConfig<?> config) {
        ClassIntrospector introspector = config.classIntrospectorInstance();
        AnnotatedClass annotated = introspector.introspectClassAnnotations(type);
        return config instanceof SerializationConfig
                ? introspector.introspectForSerialization(type, annotated)
                : introspector.introspectForDeserialization(type, annotated);
    }
}
