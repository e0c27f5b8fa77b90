// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.util.Collection;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.json.SnowflakeText;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.method.HandlerMethod;

/** Refuses {@link SnowflakeText} on handlers where Spring does not look for it: ids would be numbers, or any text would do for an id. */
final class MarkedHandlers {

    private MarkedHandlers() {}

    /** @throws SnowflakeException naming the first method or parameter */
    static void check(Collection<HandlerMethod> handlers) {
        for (HandlerMethod handler : handlers) {
            if (handler.hasMethodAnnotation(SnowflakeText.class)) {
                throw refusal(
                        handler.getShortLogMessage(),
                        "a method, and Spring writes what it returns without a look at it",
                        "Return an object with the annotation on a field, or text: SnowflakeFormat has format");
            }
            for (MethodParameter parameter : handler.getMethodParameters()) {
                if (new TypeDescriptor(parameter).hasAnnotation(SnowflakeText.class)) {
                    check(
                            parameter,
                            "parameter " + parameter.getParameterIndex() + " of " + handler.getShortLogMessage());
                }
            }
        }
    }

    private static void check(MethodParameter parameter, String place) {
        if (parameter.hasParameterAnnotation(RequestBody.class)
                || parameter.hasParameterAnnotation(RequestPart.class)) {
            throw refusal(
                    place,
                    "a body, which Spring reads without a look at it",
                    "Put the annotation on a field of the body's class");
        }
        ResolvableType type = ResolvableType.forMethodParameter(parameter.nestedIfOptional());
        if (!isId(type) && !isId(element(type))) {
            throw refusal(
                    place,
                    "neither a long or Long, nor a collection, array or Optional of these, but " + type,
                    "Take it away there, and read the text yourself: SnowflakeFormat has parse");
        }
    }

    /** A type variable may be one. */
    private static boolean isId(ResolvableType type) {
        Class<?> known = type.resolve();
        return known == null ? !type.equals(ResolvableType.NONE) : known == long.class || known == Long.class;
    }

    private static ResolvableType element(ResolvableType type) {
        return type.isArray() ? type.getComponentType() : type.asCollection().getGeneric();
    }

    private static SnowflakeException refusal(String place, String problem, String remedy) {
        return new SnowflakeException(
                "@SnowflakeText stands on " + place + ", which is " + problem + ". " + remedy + ".");
    }
}
