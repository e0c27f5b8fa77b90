// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import java.net.URI;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The host and port of a server in a URL. {@link URI} accepts no underscore in a host name, but container networks do.
 *
 * @param host an IPv6 address is in brackets
 * @param port 1 to 65535
 */
public record HostAndPort(String host, int port) {

    private static final Pattern UNDERSCORED = Pattern.compile("([\\w.-]*_[\\w.-]*)(?::(\\d{1,5}))?");

    /**
     * @param usualPort if the URL names none
     * @return empty: the URL names no host, or a port out of range
     */
    public static Optional<HostAndPort> of(URI url, int usualPort) {
        String host = url.getHost();
        int port = url.getPort();
        if (host == null) {
            Matcher underscored = UNDERSCORED.matcher(String.valueOf(url.getRawAuthority()));
            if (!underscored.matches()) {
                return Optional.empty();
            }
            host = underscored.group(1);
            port = underscored.group(2) == null ? -1 : Integer.parseInt(underscored.group(2));
        }
        port = port == -1 ? usualPort : port;
        return port < 1 || port > 65_535 ? Optional.empty() : Optional.of(new HostAndPort(host, port));
    }

    /** Whether it has an underscore in its name. */
    public boolean isUnderscored() {
        return host.indexOf('_') >= 0;
    }

    /**
     * The complaint about a server with such a name that is reached by TLS.
     *
     * @param whose name it is, such as {@code a host}
     */
    public static String uncertifiable(String whose) {
        return "has '_' in the name of " + whose
                + ", and Java trusts no certificate for such a name. Name the host without"
                + " '_', by an alias perhaps.";
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
