// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.snowflakeid.administration.NamespaceDoubt;
import picocli.CommandLine.TypeConversionException;

/** A doubt as it is typed: far-ahead-marks. */
final class DoubtName {

    private DoubtName() {}

    static String of(NamespaceDoubt doubt) {
        return doubt.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static NamespaceDoubt parse(String name) {
        for (NamespaceDoubt doubt : NamespaceDoubt.values()) {
            if (of(doubt).equals(name)) {
                return doubt;
            }
        }
        throw new TypeConversionException("'" + name + "' is none of "
                + Arrays.stream(NamespaceDoubt.values()).map(DoubtName::of).collect(Collectors.joining(", ")));
    }
}
