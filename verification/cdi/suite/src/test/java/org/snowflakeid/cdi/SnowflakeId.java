// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** As those of entities, which are of this name too. */
@GeneratorReference
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD})
public @interface SnowflakeId {
    String value();
}
