// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.snowflakeid.SnowflakeFormat.CROCKFORD;
import static org.snowflakeid.SnowflakeFormat.DECIMAL;
import static org.snowflakeid.SnowflakeFormat.HEX;

import java.math.BigInteger;
import java.nio.CharBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SnowflakeFormatTest {

    /** From one bit to 63, so that each length of a decimal text occurs. */
    private static long[] manyIds() {
        Random random = new Random(20261122);
        LongStream edges = LongStream.of(0, 1, 9, 10, 31, 32, 61, 62, 1L << 53, Long.MAX_VALUE - 1, Long.MAX_VALUE);
        LongStream drawn = LongStream.generate(() -> random.nextLong() >>> (1 + random.nextInt(63)));
        return LongStream.concat(edges, drawn.limit(20_000)).distinct().toArray();
    }

    @ParameterizedTest
    @CsvSource({
        "DECIMAL,   0,                   0",
        "CROCKFORD, 0,                   0000000000000",
        "BASE62,    0,                   00000000000",
        "HEX,       0,                   0000000000000000",
        "DECIMAL,   911852594806915072,  911852594806915072",
        "CROCKFORD, 911852594806915072,  0S9WD3A8FR000",
        "BASE62,    911852594806915072,  15MIGHU0fdg",
        "HEX,       911852594806915072,  0ca78d1a90fc0000",
        "DECIMAL,   9223372036854775807, 9223372036854775807",
        "CROCKFORD, 9223372036854775807, 7ZZZZZZZZZZZZ",
        "BASE62,    9223372036854775807, AzL8n0Y58m7",
        "HEX,       9223372036854775807, 7fffffffffffffff"
    })
    void writesAndReadsTheText(SnowflakeFormat format, long id, String text) {
        assertThat(format.format(id)).isEqualTo(text);
        assertThat(format.parse(text)).isEqualTo(id);
        assertThat(format.parse(CharBuffer.wrap(text))).isEqualTo(id);
    }

    @ParameterizedTest
    @EnumSource
    void readsWhatItWrote(SnowflakeFormat format) {
        for (long id : manyIds()) {
            assertThat(format.parse(format.format(id))).isEqualTo(id);
        }
    }

    @Test
    void writesWhatTheJdkWritesInBasesThatItKnows() {
        for (long id : manyIds()) {
            assertThat(DECIMAL.format(id)).isEqualTo(Long.toString(id));
            assertThat(HEX.format(id)).isEqualTo(String.format("%016x", id));
            String crockford = CROCKFORD.format(id);
            StringBuilder asTheJdk = new StringBuilder();
            crockford
                    .chars()
                    .map("0123456789ABCDEFGHJKMNPQRSTVWXYZ"::indexOf)
                    .forEach(digit -> asTheJdk.append(Character.forDigit(digit, 32)));
            assertThat(new BigInteger(asTheJdk.toString(), 32)).isEqualTo(BigInteger.valueOf(id));
        }
    }

    @ParameterizedTest
    @EnumSource(names = "DECIMAL", mode = EnumSource.Mode.EXCLUDE)
    void textsOfFixedWidthHaveTheOrderOfTheirIds(SnowflakeFormat format) {
        List<String> sortedByIds =
                LongStream.of(manyIds()).sorted().mapToObj(format::format).toList();

        assertThat(sortedByIds).isSorted();
        assertThat(sortedByIds).doesNotHaveDuplicates();
        assertThat(sortedByIds.stream().map(String::length).distinct()).hasSize(1);
    }

    @Test
    void decimalTextsOfEqualLengthHaveTheOrderOfTheirIds() {
        List<String> sortedByIds =
                LongStream.of(manyIds()).sorted().mapToObj(DECIMAL::format).toList();

        assertThat(sortedByIds)
                .isSortedAccordingTo(Comparator.comparingInt(String::length).thenComparing(text -> text));
    }

    @ParameterizedTest
    @EnumSource
    void writesNoNegativeId(SnowflakeFormat format) {
        assertThatThrownBy(() -> format.format(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("id -1 is negative");
        assertThatThrownBy(() -> format.format(Long.MIN_VALUE)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "DECIMAL,   '',  it is empty",
        "HEX,       '',  it is empty",
        "DECIMAL,   -5,  ids are not negative",
        "DECIMAL,   -9223372036854775808,  ids are not negative",
        "HEX,       -ca78d1a90fc0000,  ids are not negative",
        "DECIMAL,   +5,  '''+'' at index 0 is none of 0123456789'",
        "DECIMAL,   1e3,  '''e'' at index 1 is none of 0123456789'",
        "DECIMAL,   abc,  '''a'' at index 0 is none of 0123456789'",
        "DECIMAL,   1.0,  '''.'' at index 1 is none of 0123456789'",
        "DECIMAL,   5L,  '''L'' at index 1 is none of 0123456789'",
        "DECIMAL,   ' 5',  ''' '' at index 0 is none of 0123456789'",
        "DECIMAL,   '5 ',  ''' '' at index 1 is none of 0123456789'",
        "DECIMAL,   00,  it begins with 0",
        "DECIMAL,   05,  it begins with 0",
        "DECIMAL,   9223372036854775808,  it is more than 9223372036854775807",
        "DECIMAL,   18446744073709551616,  it is more than 9223372036854775807",
        "DECIMAL,   18446744073709551621,  it is more than 9223372036854775807",
        "CROCKFORD, 8000000000000,  it is more than 7ZZZZZZZZZZZZ",
        "CROCKFORD, ZZZZZZZZZZZZZ,  it is more than 7ZZZZZZZZZZZZ",
        "CROCKFORD, 0S9WD3A8FR00,  it has 12 characters instead of 13",
        "CROCKFORD, 00S9WD3A8FR000,  it has 14 characters instead of 13",
        "CROCKFORD, 0s9wd3a8fr000,  '''s'' at index 1 is none of 0123456789ABCDEFGHJKMNPQRSTVWXYZ'",
        "CROCKFORD, OS9WD3A8FR000,  '''O'' at index 0 is none of 0123456789ABCDEFGHJKMNPQRSTVWXYZ'",
        "CROCKFORD, 0S9WD3A8FI000,  '''I'' at index 9 is none of 0123456789ABCDEFGHJKMNPQRSTVWXYZ'",
        "BASE62,    AzL8n0Y58m8,  it is more than AzL8n0Y58m7",
        "BASE62,    zzzzzzzzzzz,  it is more than AzL8n0Y58m7",
        "BASE62,    abc,  it has 3 characters instead of 11",
        "HEX,       8000000000000000,  it is more than 7fffffffffffffff",
        "HEX,       ffffffffffffffff,  it is more than 7fffffffffffffff",
        "HEX,       0CA78D1A90FC0000,  '''C'' at index 1 is none of 0123456789abcdef'",
        "HEX,       0xca78d1a90fc000,  '''x'' at index 1 is none of 0123456789abcdef'"
    })
    void saysWhatIsWrongWithATextAndWhere(SnowflakeFormat format, String text, String reason) {
        assertThatThrownBy(() -> format.parse(text))
                .isInstanceOf(IdFormatException.class)
                .hasMessage("'" + text + "' is not an id in the format "
                        + format.name().toLowerCase(Locale.ROOT) + ": " + reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0661",
                "\uff11",
                "1\u0661",
                "\ud835\udfcf",
                "1\ud835",
                "1\u00a0",
                "1\u200b",
                "1\u0000",
                "\n1",
                "\t",
                " "
            })
    void refusesDigitsAndBlanksOfOtherScripts(String text) {
        assertThatThrownBy(() -> DECIMAL.parse(text))
                .isInstanceOf(IdFormatException.class)
                .hasMessageContaining("is none of 0123456789")
                .message()
                .doesNotContain("\n", "\t", "\u0000", "\u200b");
    }

    @Test
    void showsNoMoreThanTheBeginningOfALongText() {
        for (SnowflakeFormat format : SnowflakeFormat.values()) {
            assertThatThrownBy(() -> format.parse("1".repeat(1_000_000)))
                    .isInstanceOf(IdFormatException.class)
                    .hasMessageStartingWith("'1111111111111111111111111111111111111111...' is not an id")
                    .message()
                    .hasSizeLessThan(150);
        }
    }

    /** Each text that differs from an id's text in one character is refused, or is the text of another id. */
    @ParameterizedTest
    @EnumSource
    void equalIdsHaveEqualTexts(SnowflakeFormat format) {
        Random random = new Random(7);
        for (long id : manyIds()) {
            StringBuilder other = new StringBuilder(format.format(id));
            other.setCharAt(random.nextInt(other.length()), (char) (' ' + random.nextInt(95)));
            long read;
            try {
                read = format.parse(other);
            } catch (IdFormatException refused) {
                continue;
            }
            assertThat(format.format(read)).isEqualTo(other.toString());
        }
    }
}
