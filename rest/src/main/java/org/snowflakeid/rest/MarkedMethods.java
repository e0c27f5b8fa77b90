// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import jakarta.ws.rs.ConstrainedTo;
import jakarta.ws.rs.RuntimeType;
import jakarta.ws.rs.container.DynamicFeature;
import jakarta.ws.rs.container.ResourceInfo;
import jakarta.ws.rs.core.FeatureContext;
import jakarta.ws.rs.ext.Provider;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.Collection;
import java.util.Optional;
import java.util.stream.Stream;
import org.snowflakeid.SnowflakeException;

/**
 * Stops the start of an application with {@link SnowflakeText} where nothing looks for it: on a method, whose answer would have numbers, or on
 * a parameter of a type that is no id, which would take any text.
 */
@Provider
@ConstrainedTo(RuntimeType.SERVER)
public class MarkedMethods implements DynamicFeature {

    /** @throws SnowflakeException naming the method */
    @Override
    public void configure(ResourceInfo resource, FeatureContext context) {
        Method method = resource.getResourceMethod();
        if (isMarked(method.getAnnotations())) {
            throw refusal(
                    method.toString(),
                    "a method, and what it returns is written without a look at it",
                    "Return an object with the annotation on a field, or text: SnowflakeFormat has format");
        }
        for (int parameter = 0; parameter < method.getParameterCount(); parameter++) {
            Type type = method.getGenericParameterTypes()[parameter];
            if (type == long[].class
                    && isMarked(method.getParameterAnnotations()[parameter])
                    && IdParameters.isJersey()) {
                throw refusal(
                        "parameter " + parameter + " of " + method,
                        "a long[], which Jersey reads without a look at it",
                        "Take a List<Long> or a Long[]");
            }
            if (isMarked(method.getParameterAnnotations()[parameter]) && !isId(type) && !isId(held(type))) {
                throw refusal(
                        "parameter " + parameter + " of " + method,
                        "neither a long or Long, nor a collection, array or Optional of these, but "
                                + type.getTypeName(),
                        "Take it away there, and read the text yourself: SnowflakeFormat has parse");
            }
        }
    }

    private static boolean isMarked(Annotation[] annotations) {
        return Stream.of(annotations).anyMatch(annotation -> IdParameters.format(annotation) != null);
    }

    /** A type variable may be one. */
    private static boolean isId(Type type) {
        return type == long.class || type == Long.class || type instanceof TypeVariable<?>;
    }

    private static Type held(Type type) {
        if (type instanceof ParameterizedType generic
                && generic.getRawType() instanceof Class<?> holder
                && (holder == Optional.class || Collection.class.isAssignableFrom(holder))) {
            return generic.getActualTypeArguments()[0];
        }
        return type instanceof Class<?> array && array.isArray() ? array.getComponentType() : type;
    }

    private static SnowflakeException refusal(String place, String problem, String remedy) {
        return new SnowflakeException(
                "@SnowflakeText stands on " + place + ", which is " + problem + ". " + remedy + ".");
    }
}
