// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.io.Serializable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeFormat;

/**
 * Ids for an attribute of an entity with an annotation {@code @SnowflakeId}: of the type {@link Long} or {@code long},
 * {@link String}, which gets the id as text, or {@link UUID}, which gets one that contains the id.
 */
public final class IdAttribute implements Serializable {
    private static final long serialVersionUID = 1L;

    private final ReferencedGenerator ids;
    private final SnowflakeFormat format;
    private final Class<?> type;

    /**
     * Looks for no generator yet, so that it can be made before there is an application.
     *
     * @param format of a {@link String}; other types have none
     * @param member the attribute's field or getter
     * @throws SnowflakeException if it is of another type
     */
    public IdAttribute(String generator, SnowflakeFormat format, Class<?> type, Member member) {
        if (type != Long.class && type != long.class && type != String.class && type != UUID.class) {
            throw MarkedMembers.misplaced(
                    generator, member, "type " + shown(type) + " is not supported; use Long, long, String or UUID");
        }
        this.ids = new ReferencedGenerator(generator, member.toString());
        this.format = format;
        this.type = type;
    }

    /** {@code Integer}, and of what is not in {@code java.lang} the whole name. */
    private static String shown(Class<?> type) {
        return type.getPackageName().equals("java.lang") ? type.getSimpleName() : type.getTypeName();
    }

    /**
     * The type of a field, or of what a getter returns, in a class that may have it from a generic superclass: {@link Long} for the
     * {@code K} of {@code class Order extends Row<Long>}.
     *
     * @param member of this class or a superclass
     */
    public static Class<?> typeIn(Class<?> declaring, Member member) {
        Type type = member instanceof Field field ? field.getGenericType() : ((Method) member).getGenericReturnType();
        Map<Type, Type> arguments = new HashMap<>();
        for (Class<?> each = declaring; each != null; each = each.getSuperclass()) {
            if (each.getGenericSuperclass() instanceof ParameterizedType superclass) {
                Type[] parameters = each.getSuperclass().getTypeParameters();
                for (int i = 0; i < parameters.length; i++) {
                    arguments.put(parameters[i], superclass.getActualTypeArguments()[i]);
                }
            }
        }
        while (arguments.containsKey(type)) {
            type = arguments.get(type);
        }
        if (type instanceof Class<?> known) {
            return known;
        }
        return member instanceof Field field ? field.getType() : ((Method) member).getReturnType();
    }

    /** Whether this is no value, so that an id is wanted: null, or 0 in a {@code long}. */
    public boolean isMissing(@Nullable Object value) {
        return value == null || (type == long.class && value.equals(0L));
    }

    /**
     * The next id, of the attribute's type.
     *
     * @throws SnowflakeException as {@link ReferencedGenerator#nextId} does
     */
    public Object next() {
        return ids.get(this::next);
    }

    /**
     * As {@link #next()}, from a given generator, where there is no CDI container that could have it.
     *
     * @throws SnowflakeException if there is no id now
     */
    public Object next(Snowflake given) {
        if (type == UUID.class) {
            return given.nextUuid();
        }
        long id = given.nextId();
        return type == String.class ? format.format(id) : (Long) id;
    }
}
