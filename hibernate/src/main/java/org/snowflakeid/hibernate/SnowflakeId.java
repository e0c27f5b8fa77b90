// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.hibernate;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.hibernate.annotations.IdGeneratorType;
import org.hibernate.annotations.ValueGenerationType;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.cdi.GeneratorReference;

/**
 * Has a new entity filled with an id: {@code @Id @SnowflakeId Long id}. Hibernate does it without any other setting: a primary
 * key when the entity is persisted, another column when it is flushed.
 *
 * <p>Put it on a field, or on a getter if the entity's properties are mapped. The type is {@code Long} or {@code long},
 * {@code String} for the text of an id, or {@code UUID} for {@link org.snowflakeid.Snowflake#nextUuid one that contains an id}. The field
 * is the primary key or any other column, and an entity may have several. What has a value already, other than 0 in a {@code long},
 * keeps it. The generator is claimed when the application starts, as if it were injected.
 */
@IdGeneratorType(SnowflakeIdGenerator.class)
@ValueGenerationType(generatedBy = SnowflakeIdGenerator.class)
@Documented
@GeneratorReference
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD})
public @interface SnowflakeId {

    /** The generator's name, as that in {@link org.snowflakeid.cdi.SnowflakeName}. */
    String value() default "default";

    /**
     * How the id is written in a {@code String}. The default takes 13 characters, and its texts have the order of their ids; in a
     * {@code Long}, {@code long} or {@code UUID} it has no meaning.
     */
    SnowflakeFormat format() default SnowflakeFormat.CROCKFORD;
}
