// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.snowflakeid.SnowflakeFormat;

/**
 * On a resource method's parameter of type {@code long} or {@link Long} ({@code @PathParam("id") @SnowflakeText long id}), or on a list of
 * these: only the text of an id is taken, and 400 answers any other. What is absent is null or 0, as without it. The annotation of the same name in {@code snowflake-json} means the
 * same here; an application that has both modules needs only that one.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
// Nowhere else: on a field it would be taken for that of snowflake-json, and do nothing.
@Target(ElementType.PARAMETER)
@Schema(implementation = String.class, pattern = "^[0-9A-Za-z]{1,19}$", example = "911852594806915072")
public @interface SnowflakeText {
    SnowflakeFormat value() default SnowflakeFormat.DECIMAL;
}
