// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who holds a worker id.
 *
 * @param entry what a report says of its owner entry: differs whenever the worker id was claimed anew
 * @param host all of it where it names no host
 * @param since null where it names no time
 */
record Holder(String entry, String host, @Nullable Instant since) {

    private static final Pattern HOST_AND_TIME = Pattern.compile("host (.*) since (\\S+)", Pattern.DOTALL);

    /** @param heldBy as in {@link org.snowflakeid.administration.NamespaceReport.Worker} */
    static Holder of(String heldBy) {
        Matcher matcher = HOST_AND_TIME.matcher(heldBy);
        return matcher.matches()
                ? new Holder(heldBy, matcher.group(1), time(matcher.group(2)))
                : new Holder(heldBy, heldBy, null);
    }

    private static @Nullable Instant time(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException somethingElse) {
            return null;
        }
    }
}
