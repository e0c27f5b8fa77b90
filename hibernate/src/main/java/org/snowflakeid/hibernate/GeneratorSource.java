// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.hibernate;

import org.snowflakeid.Snowflake;

/**
 * The source of generators for entities in an application without CDI: a setting of Hibernate, with the name {@value #SETTING}. Hibernate
 * asks it once for each {@link SnowflakeId}, while Hibernate starts, so that a generator is claimed before the application takes requests.
 *
 * <pre>{@code
 * settings.put(GeneratorSource.SETTING, (GeneratorSource) name -> ids);
 * }</pre>
 */
@FunctionalInterface
public interface GeneratorSource {

    /** The name of the setting. */
    String SETTING = "org.snowflakeid.hibernate.generators";

    /**
     * The generator of a name; the source that gives it closes it, after Hibernate's session factory.
     *
     * @throws org.snowflakeid.SnowflakeException if there is none
     */
    Snowflake named(String generator);
}
