// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An entity with lines, each with a primary key from the generator {@code purchases}. */
public interface Purchase {

    @Nullable
    Long id();

    void preset(Long id);

    /** An ordinary column, from the generator without a name. */
    @Nullable
    Long number();

    void presetNumber(Long number);

    /** An ordinary column, made of an id of the generator {@code purchases}. */
    @Nullable
    UUID uuid();

    void presetUuid(UUID uuid);

    /** In an embeddable, from the generator without a name. */
    @Nullable
    Long reference();

    /** In an embeddable, made of an id of the generator without a name. */
    @Nullable
    UUID referenceUuid();

    /** Text in the superclass, in the default format, from the generator without a name. */
    @Nullable
    String code();

    void presetCode(String code);

    /** Text in an embeddable, hexadecimal, from the generator without a name. */
    @Nullable
    String tag();

    /** And a note. Cascades go there. */
    void addLine();

    /** Those of the lines, 0 for none. */
    List<Long> lineIds();

    /** Text in a property, in the default format. */
    List<@Nullable String> lineCodes();

    /** Their keys are text of the format base 62. */
    List<@Nullable String> noteIds();
}
