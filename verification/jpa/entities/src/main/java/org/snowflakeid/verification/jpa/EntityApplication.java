// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa;

import jakarta.enterprise.inject.spi.CDI;
import jakarta.persistence.EntityManager;
import java.util.function.Consumer;
import org.snowflakeid.Snowflake;
import org.snowflakeid.cdi.SnowflakeName;

/** An application with a persistence unit, as its runtime has it. */
public interface EntityApplication {

    /** In a transaction of its own, which is rolled back if this fails. */
    void transact(Consumer<EntityManager> work);

    /** The generator that {@code @SnowflakeId} of this name means. */
    default Snowflake generator(String name) {
        return CDI.current()
                .select(Snowflake.class, SnowflakeName.Literal.of(name))
                .get();
    }
}
