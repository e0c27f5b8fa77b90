// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.records;

/** What the namespace record says. In every state but {@link #ACTIVE} nothing is claimed and nothing is extended. */
public enum NamespaceState {
    /** There is no record: no worker id was ever claimed, or the record was lost. */
    ABSENT,
    /** Worker ids are claimed and extended. */
    ACTIVE,
    /** It is kept for a namespace that is to move here: the record names it. */
    RESERVED,
    /** It is to be replaced in its place. */
    RESTORING,
    /** It is to go on elsewhere; whether the successor is in use already is not known here. */
    MOVING,
    /** Its successor is in use. */
    MOVED,
    /** Not written by this library, or by a newer version of it, or edited to something absurd. */
    UNREADABLE
}
