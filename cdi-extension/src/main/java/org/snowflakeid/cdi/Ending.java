// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.util.List;

/**
 * The generators of an application that has begun to end. The container destroys its beans in an unknown order, and a bean may ask
 * for an id while it is destroyed: so no generator ends when its own bean is destroyed. All of them end together, after the last bean.
 */
final class Ending {

    private final List<InjectedSnowflake> generators;
    private final boolean hearsOfTheVeryEnd;

    /** Guarded by this. */
    private int destroyed;

    /**
     * @param hearsOfTheVeryEnd whether {@link #complete} will be called; if not, everything ends with the last bean that is destroyed
     */
    Ending(List<InjectedSnowflake> open, boolean hearsOfTheVeryEnd) {
        this.hearsOfTheVeryEnd = hearsOfTheVeryEnd;
        this.generators = open.stream().filter(ids -> ids.endWith(this)).toList();
    }

    /** One of them was destroyed. */
    void destroyed() {
        synchronized (this) {
            destroyed++;
            if (hearsOfTheVeryEnd || destroyed < generators.size()) {
                return;
            }
        }
        complete();
    }

    /** Gives all worker ids back. */
    void complete() {
        InjectedSnowflake.closeAll(generators);
    }
}
