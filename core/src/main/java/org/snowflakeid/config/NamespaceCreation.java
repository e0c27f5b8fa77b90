// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

/** What happens at a coordinator that does not know the namespace. */
public enum NamespaceCreation {
    /** Create it. */
    CREATE,
    /**
     * Create it, with first ids that are later than all that may have been reserved. So ids do not repeat if the coordinator has lost all
     * its data, provided that no process had a longer window, and that no two clocks differed by more than twice {@code
     * snowflake.clock.max-skew}.
     */
    CREATE_FENCED,
    /** Refuse to start. */
    REQUIRE
}
