// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An entity whose key is a UUID, which it has from a generic superclass. */
public interface Ticket {

    @Nullable
    UUID key();
}
