// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import java.util.List;

/**
 * What one check says.
 *
 * @param name for programs; it stays the same
 * @param count of what was found: ids, rows, or what the text names; 0 if nothing was
 * @param text for people, in whole sentences
 * @param examples some of the ids
 */
public record Finding(String name, Result result, long count, String text, List<Long> examples) {

    /** How bad it is. */
    public enum Result {
        /** Looked for, and not there. */
        PASSED,
        /** Worth knowing, and no fault by itself. */
        NOTE,
        /** A fault. */
        FOUND
    }

    static Finding passed(String name, String text) {
        return new Finding(name, Result.PASSED, 0, text, List.of());
    }
}
