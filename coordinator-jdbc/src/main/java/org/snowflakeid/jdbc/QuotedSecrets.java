// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.jdbc;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Passwords in JDBC URLs, which drivers, pools and databases quote. No message may show them. */
final class QuotedSecrets {

    /** As a parameter, or before the host. */
    private static final Pattern PASSWORD_IN_URL =
            Pattern.compile("(?i)(?:passw(?:or)?d|pwd|secret|token)=([^&;,)]+)|//[^/@:?]*:([^/@]+)@");

    /** Hidden as a whole, since each driver has its own way to write passwords. */
    private static final Pattern QUOTED_URL = Pattern.compile("jdbc:\\S+");

    /** As {@link #PASSWORD_IN_URL}, within a sentence. */
    private static final Pattern QUOTED_PASSWORD =
            Pattern.compile("(?i)(?:passw(?:or)?d|pwd|secret|token)=([^&;,)\\s'\"]+)|//[^/@:?\\s]*:([^/@\\s]+)@");

    /** In SQL of H2's INIT. */
    private static final Pattern LITERAL_IN_URL = Pattern.compile("(?i)(?:;INIT=|\\G)[^']*'([^']+)'");

    private QuotedSecrets() {}

    /**
     * The URL, and what may be a password in it; each with what is shown instead, in the order in which they are replaced.
     *
     * @param said in which a data source may quote the URL that it was given
     */
    static Map<String, String> in(String said, JdbcSettings.Access access) {
        Map<String, String> shown = new LinkedHashMap<>();
        String url = access.url();
        if (url == null) {
            QUOTED_URL
                    .matcher(said)
                    .results()
                    .map(MatchResult::group)
                    .forEach(each -> shown.put(each, JdbcSettings.URL.shown(each)));
            shown.entrySet().removeIf(each -> each.getKey().equals(each.getValue()));
        } else {
            shown.put(url, access.name());
        }
        Stream<String> passwords =
                url == null ? found(said, QUOTED_PASSWORD) : found(url, PASSWORD_IN_URL, LITERAL_IN_URL);
        passwords.forEach(password -> shown.putIfAbsent(password, "***"));
        return shown;
    }

    private static Stream<String> found(String text, Pattern... patterns) {
        return Stream.of(patterns)
                .flatMap(pattern -> pattern.matcher(text).results())
                .flatMap(found -> IntStream.rangeClosed(1, found.groupCount()).mapToObj(found::group))
                .filter(Objects::nonNull);
    }
}
