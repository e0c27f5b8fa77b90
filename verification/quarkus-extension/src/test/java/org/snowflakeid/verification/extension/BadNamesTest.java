// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.snowflakeid.Snowflake;
import org.snowflakeid.cdi.GeneratorReference;
import org.snowflakeid.cdi.SnowflakeName;
import org.snowflakeid.jpa.SnowflakeId;

class BadNamesTest extends WithApplication {

    private static final String REMEDY = "a generator's name is lower-case letters and digits in groups joined by '-',"
            + " and none of workers, marks, meta. Rename it.";

    @ApplicationScoped
    static class Shop {

        @Inject
        @SnowflakeName("Bad Name")
        Snowflake ids;

        @Inject
        @SnowflakeName("good-name")
        Snowflake good;

        long next(@SnowflakeName("") Snowflake ofMethod) {
            return ofMethod.nextId();
        }
    }

    @ApplicationScoped
    static class Till {

        final Snowflake ids;

        @Inject
        Till(@SnowflakeName("marks") Snowflake ofConstructor) {
            ids = ofConstructor;
        }
    }

    /** Reached by no injection point. */
    static class Purchase {

        @SnowflakeId("Bad")
        Long id;

        @SnowflakeId
        Long number;
    }

    @GeneratorReference
    @interface Numbered {
        String value();
    }

    static class Ticket {

        @Numbered("no_underline")
        long number() {
            return 0;
        }
    }

    @RegisterExtension
    static final Extension APPLICATION = application()
            .withApplicationRoot(
                    root -> root.addClasses(Shop.class, Till.class, Purchase.class, Ticket.class, Numbered.class))
            .assertException(failure -> {
                String type = BadNamesTest.class.getName();
                assertThat(messages(failure))
                        .contains("The field ids of " + type
                                + "$Shop has @SnowflakeName(\"Bad Name\"). snowflake 'Bad Name': " + REMEDY)
                        .contains("The parameter ofConstructor of the constructor of " + type
                                + "$Till has @SnowflakeName(\"marks\"). snowflake 'marks': " + REMEDY)
                        .contains("The parameter ofMethod of the method next of " + type
                                + "$Shop has @SnowflakeName(\"\"). snowflake '': " + REMEDY)
                        .contains("The field id of " + type + "$Purchase has @SnowflakeId(\"Bad\"). snowflake 'Bad': "
                                + REMEDY)
                        .contains("The method number of " + type
                                + "$Ticket has @BadNamesTest$Numbered(\"no_underline\"). snowflake 'no_underline': "
                                + REMEDY)
                        .doesNotContain("good-name");
            });

    private static String messages(Throwable failure) {
        StringBuilder messages = new StringBuilder();
        collect(failure, messages);
        return messages.toString();
    }

    private static void collect(Throwable failure, StringBuilder messages) {
        messages.append(failure.getMessage()).append('\n');
        for (Throwable other : failure.getSuppressed()) {
            collect(other, messages);
        }
        if (failure.getCause() != null) {
            collect(failure.getCause(), messages);
        }
    }

    @Test
    void theBuildFailsAndNamesClassMemberNameAndRemedy() {
        throw new AssertionError("the application was built");
    }
}
