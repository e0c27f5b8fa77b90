// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import org.jspecify.annotations.Nullable;

/** An entity that puts the type of its key into a generic superclass, where the key is marked. */
public interface Heir {

    @Nullable
    Long key();
}
