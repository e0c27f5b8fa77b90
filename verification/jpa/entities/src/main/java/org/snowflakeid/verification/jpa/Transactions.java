// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.persistence.EntityManager;
import java.util.function.Consumer;

/** Those of a persistence unit, as its runtime has them. */
public interface Transactions {

    /** In a transaction of its own, which is rolled back if this fails. */
    void run(Consumer<EntityManager> work);
}
