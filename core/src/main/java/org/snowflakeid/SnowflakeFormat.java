// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.Locale;
import org.snowflakeid.config.Quoted;

/**
 * How an id is written as text, where 64 bits don't fit into a number: JavaScript rounds those above 2^53. The id itself stays a {@code long}.
 *
 * <p>Each id has one text in each format, and {@link #parse} accepts no other, so that two texts are equal only if the ids are. Texts of a fixed
 * width sort as their ids do, if compared by character codes, as {@link String#compareTo} does; a database column needs a binary collation for that.
 */
public enum SnowflakeFormat {
    /** As {@link Long#toString(long)}: {@code 911852594806915072}. Only texts of equal length sort as their ids do. */
    DECIMAL("0123456789", 0),

    /** Douglas Crockford's base 32 in capital letters, 13 characters, good to read aloud: {@code 0S9WD3A8FR000}. */
    CROCKFORD("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 13),

    /** Digits, capital and small letters, 11 characters, short for addresses: capital and small letters differ. */
    BASE62("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 11),

    /** Hexadecimal in small letters, 16 characters: {@code 0ca78d1a90fc0000}. */
    HEX("0123456789abcdef", 16);

    private static final int LONGEST_SHOWN = 40;

    private final String digits;

    /** 0: as many as there are digits. */
    private final int width;

    SnowflakeFormat(String digits, int width) {
        this.digits = digits;
        this.width = width;
    }

    /** @throws IllegalArgumentException if {@code id} is negative */
    public String format(long id) {
        if (id < 0) {
            throw new IllegalArgumentException("id " + id + " is negative");
        }
        if (width == 0) {
            return Long.toString(id);
        }
        char[] text = new char[width];
        long rest = id;
        for (int at = width - 1; at >= 0; at--) {
            text[at] = digits.charAt((int) (rest % digits.length()));
            rest /= digits.length();
        }
        return new String(text);
    }

    /**
     * The id that this text stands for. Signs, blanks, letters of the other case, and leading zeros in {@link #DECIMAL} are refused.
     *
     * @throws IdFormatException if it is not the text of an id, saying why and where; the message shows only the beginning of a long text
     */
    public long parse(CharSequence text) {
        if (text.isEmpty()) {
            throw refusal(text, "it is empty");
        }
        if (text.charAt(0) == '-') {
            throw refusal(text, "ids are not negative");
        }
        if (width > 0 && text.length() != width) {
            throw refusal(text, "it has " + text.length() + " characters instead of " + width);
        }
        if (width == 0 && text.length() > 1 && text.charAt(0) == '0') {
            throw refusal(text, "it begins with 0");
        }
        long id = 0;
        for (int at = 0; at < text.length(); at++) {
            int digit = digits.indexOf(text.charAt(at));
            if (digit < 0) {
                String character = Character.toString(Character.codePointAt(text, at));
                throw refusal(text, Quoted.of(character) + " at index " + at + " is none of " + digits);
            }
            if (id > (Long.MAX_VALUE - digit) / digits.length()) {
                throw refusal(text, "it is more than " + format(Long.MAX_VALUE));
            }
            id = id * digits.length() + digit;
        }
        return id;
    }

    private IdFormatException refusal(CharSequence text, String reason) {
        String shown = text.length() <= LONGEST_SHOWN
                ? Quoted.of(text.toString())
                : Quoted.of(text.subSequence(0, LONGEST_SHOWN) + "...");
        return new IdFormatException(
                shown + " is not an id in the format " + name().toLowerCase(Locale.ROOT) + ": " + reason);
    }
}
