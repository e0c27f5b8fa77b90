// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.orders;

import jakarta.persistence.EntityManager;
import java.util.function.Function;

/** Where orders are kept. Each runtime has its own way to transactions. */
public interface Database {

    /** Does the work in a transaction, which is rolled back if it fails. */
    <T> T inTransaction(Function<EntityManager, T> work);
}
