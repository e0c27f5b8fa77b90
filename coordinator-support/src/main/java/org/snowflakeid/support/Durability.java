// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.support;

import org.snowflakeid.config.Key;

/** What is done about servers that may lose what they acknowledged: the same key, and the same words, for all coordinators. */
public enum Durability {
    REQUIRE,
    WARN;

    /**
     * @param coordinator such as {@code redis}
     * @param losses what the coordinator finds, in Markdown, to follow "refuses"
     */
    public static Key<Durability> key(String coordinator, String losses) {
        return Key.choice("snowflake." + coordinator + ".durability", Durability.class)
                .standard("require")
                .meaning("`require` refuses " + losses + ". `warn` logs a WARNING, and **ids may repeat**.");
    }

    /**
     * The sentences of a refusal, or of the WARNING that is logged in its place.
     *
     * @param seen what was seen, and of which server
     * @param server as messages name it, such as {@code Consul}
     * @param remedy what to set so that nothing is lost
     * @param key the key that allows such a server
     */
    public String complaint(String seen, String server, String remedy, Key<Durability> key) {
        return seen + ": " + server + " may lose what it acknowledged, and then ids repeat. Set " + remedy
                + (this == REQUIRE ? ", or accept it with " + key + "=warn." : "; " + key + "=warn accepts it.");
    }
}
