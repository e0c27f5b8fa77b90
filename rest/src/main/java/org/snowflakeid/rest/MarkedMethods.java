// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import jakarta.ws.rs.ConstrainedTo;
import jakarta.ws.rs.HttpMethod;
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
 * Stops the start of an application with {@link SnowflakeText} where nothing looks for it: on a method, whose answer would have numbers, on
 * a parameter of a type that is no id, which would take any text, or with Jersey on a parameter whose method has its REST annotations elsewhere.
 */
@Provider
@ConstrainedTo(RuntimeType.SERVER)
public class MarkedMethods implements DynamicFeature {

    /** @throws SnowflakeException naming the method */
    @Override
    public void configure(ResourceInfo resource, FeatureContext context) {
        Method method = resource.getResourceMethod();
        Method described = described(method);
        check(method);
        if (!described.equals(method)) {
            check(described);
            refuseWhereItIsNotDescribed(method, described);
        }
    }

    private static void check(Method method) {
        if (isMarked(method.getAnnotations())) {
            throw refusal(
                    method.toString(),
                    "a method, and what it returns is written without a look at it",
                    "Return an object with the annotation on a field, or text: SnowflakeFormat has format");
        }
        for (int parameter = 0; parameter < method.getParameterCount(); parameter++) {
            if (isMarked(method.getParameterAnnotations()[parameter])) {
                check(method.getGenericParameterTypes()[parameter], "parameter " + parameter + " of " + method);
            }
        }
    }

    private static void check(Type type, String parameter) {
        if (type == long[].class && IdParameters.isJersey()) {
            throw refusal(
                    parameter, "a long[], which Jersey reads without a look at it", "Take a List<Long> or a Long[]");
        }
        if (!isId(type) && !isId(held(type))) {
            throw refusal(
                    parameter,
                    "neither a long or Long, nor a collection, array or Optional of these, but " + type.getTypeName(),
                    "Take it away there, and read the text yourself: SnowflakeFormat has parse");
        }
    }

    /** Jersey shows converters the annotations of one method only. */
    private static void refuseWhereItIsNotDescribed(Method method, Method described) {
        for (int parameter = 0; parameter < method.getParameterCount() && IdParameters.isJersey(); parameter++) {
            if (isMarked(method.getParameterAnnotations()[parameter])
                    && !isMarked(described.getParameterAnnotations()[parameter])) {
                throw refusal(
                        "parameter " + parameter + " of " + method,
                        "not the method with the REST annotations, and Jersey reads parameters without a look at it",
                        "Put it on the parameter of " + described);
            }
        }
    }

    /** The one whose annotations count: a method with none of REST has those of the method that it overrides or implements. */
    private static Method described(Method method) {
        return isOfRest(method)
                ? method
                : overridden(method.getDeclaringClass(), method)
                        .filter(MarkedMethods::isOfRest)
                        .findFirst()
                        .orElse(method);
    }

    private static boolean isOfRest(Method method) {
        return Stream.concat(
                        Stream.of(method.getAnnotations()),
                        Stream.of(method.getParameterAnnotations()).flatMap(Stream::of))
                .anyMatch(annotation -> annotation.annotationType().getName().startsWith("jakarta.ws.rs.")
                        || annotation.annotationType().isAnnotationPresent(HttpMethod.class));
    }

    /** Those of superclasses first. */
    private static Stream<Method> overridden(Class<?> type, Method method) {
        return Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()))
                .flatMap(above -> Stream.concat(declared(above, method), overridden(above, method)));
    }

    private static Stream<Method> declared(Class<?> type, Method method) {
        try {
            return Stream.of(type.getDeclaredMethod(method.getName(), method.getParameterTypes()));
        } catch (NoSuchMethodException e) {
            return Stream.empty();
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
