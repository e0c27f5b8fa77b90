// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.snowflakeid.config.Key;
import org.snowflakeid.config.SettingsReader;

/**
 * The URL of a server in a setting. Its key must be declared {@linkplain Key#addressWithoutCredentials without credentials}, since they
 * are not looked for here.
 *
 * @param scheme in lower case
 * @param path empty if there is none but a slash
 */
public record ServerUrl(String scheme, HostAndPort server, String path) {

    public static final Set<String> HTTP = Set.of("http", "https");

    /**
     * @param schemes one of which it must have
     * @param usualPort if the URL names none
     * @return empty: it is not the URL of a server, or has a query or a fragment
     */
    public static Optional<ServerUrl> of(String text, Set<String> schemes, int usualPort) {
        try {
            URI uri = new URI(text);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            return !schemes.contains(scheme) || uri.getQuery() != null || uri.getFragment() != null
                    ? Optional.empty()
                    : HostAndPort.of(uri, usualPort)
                            .map(server ->
                                    new ServerUrl(scheme, server, uri.getPath().equals("/") ? "" : uri.getPath()));
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    /**
     * What a setting names, joined by commas. Where one of them can't be read, it is refused, and the result is empty.
     *
     * @param part reads one of them
     * @param remedy for the one that can't be read: what it is not, and what to write
     */
    public static <T> List<T> several(
            SettingsReader reader,
            Key<String> key,
            String text,
            Function<String, Optional<T>> part,
            Function<String, String> remedy) {
        List<T> all = new ArrayList<>();
        for (String written : text.split(",", -1)) {
            Optional<T> read = part.apply(written.strip());
            if (read.isEmpty()) {
                reader.refuse(
                        key,
                        "holds '" + key.shown(written.strip()) + "', which is not " + remedy.apply(written.strip()));
                return List.of();
            }
            all.add(read.get());
        }
        return List.copyOf(all);
    }

    /** Notes in the reader that some of these are encrypted and some not. */
    public static void requireOneScheme(SettingsReader reader, Key<String> key, List<ServerUrl> urls) {
        if (urls.stream().map(ServerUrl::scheme).distinct().count() > 1) {
            reader.refuse(key, "mixes http and https. Use the same for all of them.");
        }
    }

    @Override
    public String toString() {
        return scheme + "://" + server + path;
    }
}
