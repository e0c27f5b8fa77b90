// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.records;

import java.time.Duration;
import org.snowflakeid.config.SnowflakeKeys;

/** How far ahead of a clock grants and floors may end. All processes keep to it, so that grants whose marks were lost can be bounded. */
public final class Reach {

    /** What a claim reserves; extensions double it, up to the window. */
    public static final Duration FIRST_WINDOW = Duration.ofSeconds(10);

    /** Unless windows are long, no right clock reserves further ahead than this. */
    private static final Duration FAR_AHEAD = Duration.ofHours(1);

    /** No floor lies further ahead of the clock, whatever is configured. */
    public static final Duration FURTHEST_FLOOR =
            farAhead(SnowflakeKeys.LONGEST_WINDOW, SnowflakeKeys.LARGEST_SKEW).plus(SnowflakeKeys.LONGEST_WINDOW);

    private Reach() {}

    /** By how much more than a window grants may end ahead of our clock. */
    public static Duration uncertainty(Duration longestWindow, Duration maxSkew) {
        Duration first = longestWindow.compareTo(FIRST_WINDOW) < 0 ? longestWindow : FIRST_WINDOW;
        return longestWindow.dividedBy(2).plus(first).plus(maxSkew.multipliedBy(2));
    }

    /** How far ahead of our clock grants may end whose marks were lost. */
    public static Duration ofGrants(Duration longestWindow, Duration maxSkew) {
        return uncertainty(longestWindow, maxSkew).plus(longestWindow);
    }

    /** A grant that ends further ahead was made by a wrong clock. */
    public static Duration farAhead(Duration longestWindow, Duration maxSkew) {
        Duration reach = ofGrants(longestWindow, maxSkew);
        return reach.compareTo(FAR_AHEAD) > 0 ? reach : FAR_AHEAD;
    }
}
