// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

/** How long a generator that can't reach its coordinator counts as ready. */
public enum ReadyUntil {
    /** Until a third of its window is left. */
    THIRD_LEFT,
    /** As long as it has ids. */
    WINDOW_END
}
