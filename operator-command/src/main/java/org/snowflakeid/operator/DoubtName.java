// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.snowflakeid.NamespaceDoubt;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A doubt as it is typed: far-ahead-marks. */
final class DoubtName implements ITypeConverter<NamespaceDoubt> {

    static String of(NamespaceDoubt doubt) {
        return doubt.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public NamespaceDoubt convert(String value) {
        for (NamespaceDoubt doubt : NamespaceDoubt.values()) {
            if (of(doubt).equals(value)) {
                return doubt;
            }
        }
        throw new TypeConversionException("'" + value + "' is none of "
                + Arrays.stream(NamespaceDoubt.values()).map(DoubtName::of).collect(Collectors.joining(", ")));
    }
}
