// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.HexFormat;

/** 128 random bits from the kernel, drawn anew for each claim attempt: never derived from a host, a name or a process id. */
final class Token {

    private Token() {}

    static String random(Platform platform) {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(platform.randomLong()) + hex.toHexDigits(platform.randomLong());
    }
}
