// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/** The one logger of this library's core. Each line begins with the generator's name. */
final class Logs {

    static final System.Logger LOG = System.getLogger("org.snowflakeid");

    private Logs() {}
}
