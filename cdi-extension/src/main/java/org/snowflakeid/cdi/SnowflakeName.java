// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import static java.lang.annotation.ElementType.FIELD;
import static java.lang.annotation.ElementType.METHOD;
import static java.lang.annotation.ElementType.PARAMETER;
import static java.lang.annotation.ElementType.TYPE;

import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.inject.Qualifier;
import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Selects the generator of a name: {@code @Inject @SnowflakeName("orders") Snowflake orderIds}. Each name has a namespace and a
 * worker id of its own; {@code snowflake.generators.<name>.*} configures it.
 */
@Qualifier
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({FIELD, PARAMETER, METHOD, TYPE})
public @interface SnowflakeName {

    /** Lower-case letters and digits in groups joined by {@code -}; {@code default} is the generator without a name. */
    String value();

    /** The qualifier as an object, for lookups in code. */
    final class Literal extends AnnotationLiteral<SnowflakeName> implements SnowflakeName {
        private static final long serialVersionUID = 1L;

        private final String value;

        private Literal(String value) {
            this.value = value;
        }

        public static Literal of(String value) {
            return new Literal(value);
        }

        @Override
        public String value() {
            return value;
        }
    }
}
