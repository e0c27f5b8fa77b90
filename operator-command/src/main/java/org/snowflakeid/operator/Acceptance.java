// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.administration.NamespaceDoubt;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A doubt that the operator accepts, as it is typed: {@code far-ahead-marks}, or {@code lost-successor=ID}. He types it again some time
 * after he read it, and another operator may have led the namespace to another successor meanwhile: so it names the record.
 *
 * @param id of the record that it is about; null if it names none
 */
record Acceptance(NamespaceDoubt doubt, @Nullable String id) {

    private static final Set<NamespaceDoubt> OF_A_RECORD =
            Set.of(NamespaceDoubt.LOST_SUCCESSOR, NamespaceDoubt.RESERVED_RECORD);

    /** @param records the ids of the records that doubts are about */
    static Acceptance of(NamespaceDoubt doubt, Map<NamespaceDoubt, String> records) {
        return new Acceptance(doubt, records.get(doubt));
    }

    @Override
    public String toString() {
        return DoubtName.of(doubt) + (id == null ? "" : "=" + id);
    }

    static final class Converter implements ITypeConverter<Acceptance> {
        @Override
        public Acceptance convert(String value) {
            int equals = value.indexOf('=');
            NamespaceDoubt doubt = DoubtName.parse(equals < 0 ? value : value.substring(0, equals));
            String id = equals < 0 ? null : value.substring(equals + 1);
            if (id != null && (id.isEmpty() || !OF_A_RECORD.contains(doubt))) {
                throw new TypeConversionException("'" + value + "': an id follows on "
                        + Arrays.stream(NamespaceDoubt.values())
                                .filter(OF_A_RECORD::contains)
                                .map(DoubtName::of)
                                .collect(Collectors.joining("= and "))
                        + "= only, and is not empty. Type what the refusal named.");
            }
            return new Acceptance(doubt, id);
        }
    }
}
