// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes another annotation count as an injection point wherever it is on a field or method of the application: the generator that
 * its {@code String value()} names is a bean, and is checked and claimed when the application starts. For libraries whose users mark what
 * no container injects into, such as the id of an entity; the ids come from a {@link ReferencedGenerator}.
 *
 * <p>It counts in the classes that the container shows to an extension. In other classes, such as entities in an archive with
 * {@code bean-discovery-mode="annotated"}, only annotations named {@code SnowflakeId} are looked for, beside each
 * {@code persistence.xml}: users of another annotation name its generators in {@code snowflake.claim-at-start} there.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.ANNOTATION_TYPE)
public @interface GeneratorReference {}
