// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.json;

import java.lang.annotation.Annotation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;

/**
 * A {@code value class} of Kotlin that holds a {@code long}. Known by what the compiler makes of it, since Kotlin may not be there. It has
 * no constructor that Java could call, and where its value needs no object, its place has the type {@code long}.
 */
final class KotlinValueClass {

    private static final ClassValue<Optional<KotlinValueClass>> KNOWN = new ClassValue<>() {
        @Override
        protected Optional<KotlinValueClass> computeValue(Class<?> type) {
            return find(type);
        }
    };

    private final MethodHandle boxing;
    private final MethodHandle unboxing;
    private final @Nullable SnowflakeText mark;

    private KotlinValueClass(MethodHandle boxing, MethodHandle unboxing, @Nullable SnowflakeText mark) {
        this.boxing = boxing;
        this.unboxing = unboxing;
        this.mark = mark;
    }

    /** Null: it is none, or holds something else. */
    static @Nullable KotlinValueClass of(Class<?> type) {
        return KNOWN.get(type).orElse(null);
    }

    /** Null: it is none, or the annotation is not in its declaration. */
    static @Nullable KotlinValueClass marked(Class<?> type) {
        KotlinValueClass valueClass = of(type);
        return valueClass == null || valueClass.mark == null ? null : valueClass;
    }

    /** What a value holds, or is; null if that is no {@code long}. */
    static @Nullable Long id(Object value) {
        if (value instanceof Long id) {
            return id;
        }
        KotlinValueClass type = of(value.getClass());
        return type == null ? null : (Long) call(type.unboxing, value);
    }

    private static Optional<KotlinValueClass> find(Class<?> type) {
        try {
            Method unbox = type.getDeclaredMethod("unbox-impl");
            Class<?> value = unbox.getReturnType();
            Method construct = type.getDeclaredMethod("constructor-impl", value);
            Method box = type.getDeclaredMethod("box-impl", value);
            SnowflakeText mark = mark(type, construct);
            if (mark != null && value != long.class) {
                throw new IllegalArgumentException(
                        NotText.misplaced("the value of " + type.getName(), value.getName()));
            }
            // Durations of Kotlin's own are no ids.
            if (value != long.class || type.getName().startsWith("kotlin.")) {
                return Optional.empty();
            }
            AccessibleObject.setAccessible(new AccessibleObject[] {unbox, construct, box}, true);
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            return Optional.of(new KotlinValueClass(
                    MethodHandles.filterReturnValue(lookup.unreflect(construct), lookup.unreflect(box)),
                    lookup.unreflect(unbox),
                    mark));
        } catch (NoSuchMethodException | LinkageError e) {
            // The latter: a class that one of its methods names is missing, and Jackson may not need it.
            return Optional.empty();
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static @Nullable SnowflakeText mark(Class<?> type, Method construct) {
        return Stream.of(
                        Stream.of(type.getDeclaredFields()).map(Field::getAnnotations),
                        Stream.of(type.getDeclaredMethods())
                                .filter(method -> method.getParameterCount() == 0)
                                .map(Method::getAnnotations),
                        Stream.of(construct.getParameterAnnotations()))
                .flatMap(annotations -> annotations)
                .flatMap(annotations -> Stream.ofNullable(among(annotations)))
                .findFirst()
                .orElse(null);
    }

    private static @Nullable SnowflakeText among(Annotation[] annotations) {
        for (Annotation annotation : annotations) {
            SnowflakeText mark = annotation instanceof SnowflakeText itself
                    ? itself
                    : annotation.annotationType().getAnnotation(SnowflakeText.class);
            if (mark != null) {
                return mark;
            }
        }
        return null;
    }

    /** That of its declaration. */
    SnowflakeFormat format() {
        return mark == null ? SnowflakeFormat.DECIMAL : mark.value();
    }

    Object box(long id) {
        return call(boxing, id);
    }

    /** Its own checks may throw. */
    private static Object call(MethodHandle method, Object argument) {
        try {
            return method.invoke(argument);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Of a parameter. If the type of one of them is a value class, the annotations of all are on a second constructor, which is synthetic and
     * which no JSON library looks at. Null if there is none.
     */
    static @Nullable SnowflakeText hiddenMark(Constructor<?> constructor, int parameter) {
        Class<?>[] shown = constructor.getParameterTypes();
        for (Constructor<?> other : constructor.getDeclaringClass().getDeclaredConstructors()) {
            Class<?>[] types = other.getParameterTypes();
            if (other.isSynthetic()
                    && types.length == shown.length + 1
                    && types[shown.length].getName().equals("kotlin.jvm.internal.DefaultConstructorMarker")
                    && Arrays.equals(Arrays.copyOf(types, shown.length), shown)) {
                return among(other.getParameterAnnotations()[parameter]);
            }
        }
        return null;
    }
}
