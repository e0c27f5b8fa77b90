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
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.BeanDeserializerBuilder;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.ClassIntrospector;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.ValueSerializerModifier;

/**
 * For Jackson 3, which shows {@link SnowflakeText} only a part of what it marks. With this module a class that is read through a builder, such
 * as one with Lombok's {@code @Builder @Jacksonized}, reads as ids what is marked in the class; a type with a marked {@code @JsonValue} is read from
 * text only; and a property with {@code @JsonIdentityInfo} is refused if its references would be numbers.
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
        context.addDeserializerModifier(new Builders());
        context.addSerializerModifier(new References());
    }

    static boolean isIn(DatabindContext context) {
        return context.getAnnotationIntrospector().allIntrospectors().stream().anyMatch(Sign.class::isInstance);
    }

    /** That the module is there. */
    private static final class Sign extends NopAnnotationIntrospector {
        private static final long serialVersionUID = 1L;
    }

    private static final class Builders extends ValueDeserializerModifier {
        private static final long serialVersionUID = 1L;

        @Override
        public BeanDeserializerBuilder updateBuilder(
                DeserializationConfig config, BeanDescription.Supplier description, BeanDeserializerBuilder builder) {
            List<SettableBeanProperty> all = new ArrayList<>();
            builder.getProperties().forEachRemaining(all::add);
            for (SettableBeanProperty property : all) {
                refuseReferences(property, property.getType(), config);
            }
            if (builder.getBuildMethod() != null) {
                JavaType built = config.constructType(builder.getBuildMethod().getRawReturnType());
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
            AnnotatedMember value = description.get().findJsonValueAccessor();
            return value != null && value.hasAnnotation(SnowflakeText.class) ? new OfText(deserializer) : deserializer;
        }
    }

    /** A type of its own for an id. Jackson makes it of a number too. */
    private static final class OfText extends DelegatingDeserializer {
        private static final long serialVersionUID = 1L;

        OfText(ValueDeserializer<?> of) {
            super(of);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> of) {
            return new OfText(of);
        }

        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context) {
            Jackson3Reading.read(SnowflakeFormat.DECIMAL, parser);
            return super.deserialize(parser, context);
        }
    }

    private static final class References extends ValueSerializerModifier {
        private static final long serialVersionUID = 1L;

        @Override
        public List<BeanPropertyWriter> changeProperties(
                SerializationConfig config, BeanDescription.Supplier description, List<BeanPropertyWriter> properties) {
            properties.forEach(property -> refuseReferences(property, property.getType(), config));
            return properties;
        }
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
