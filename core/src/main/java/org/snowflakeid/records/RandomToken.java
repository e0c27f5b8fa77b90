// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.records;

import java.util.HexFormat;
import org.snowflakeid.Platform;

/** 128 random bits from the kernel, drawn anew at each call: never derived from a host, a name or a process id. */
public final class RandomToken {

    private RandomToken() {}

    public static String random(Platform platform) {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(platform.randomLong()) + hex.toHexDigits(platform.randomLong());
    }
}
