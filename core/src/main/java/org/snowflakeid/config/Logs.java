// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.config;

/** The one logger of this library's core. Each line begins with the generator's name. */
public final class Logs {

    public static final System.Logger LOG = System.getLogger("org.snowflakeid");

    private Logs() {}
}
