// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

/** Foreign text for a message: no longer than a line, and without characters that a terminal or a log would obey. */
public final class Quoted {

    private static final int LONGEST = 300;

    private Quoted() {}

    /** In quotation marks. */
    public static String of(String text) {
        return "'" + plain(text) + "'";
    }

    public static String plain(String text) {
        StringBuilder shown = new StringBuilder();
        text.codePoints().limit(LONGEST).forEach(each -> {
            if (isVisible(each)) {
                shown.appendCodePoint(each);
            } else {
                shown.append(String.format("\\u%04x", each));
            }
        });
        long length = text.codePoints().count();
        return length <= LONGEST ? shown.toString() : shown + "… (" + length + " characters)";
    }

    private static boolean isVisible(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
