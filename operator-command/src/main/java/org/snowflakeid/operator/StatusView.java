// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import org.jspecify.annotations.Nullable;

/** How looks at a namespace are shown. */
interface StatusView {

    /** @param before the look before this one; null: this is the first */
    void show(@Nullable SeenNamespace before, SeenNamespace seen, GivenNamespace namespace);

    /** It can't be read now. Called each time, for the same reason too. */
    void failed(String message, GivenNamespace namespace);
}
