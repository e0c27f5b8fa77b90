// SPDX-License-Identifier: Apache-2.0
/**
 * Injection of {@link org.snowflakeid.Snowflake}, configured through MicroProfile Config.
 *
 * <p>The unnamed generator is always a bean. A named one is a bean if its {@link org.snowflakeid.cdi.SnowflakeName} stands at
 * some injection point of the application, {@code Instance} and {@code Provider} included. What is injected is claimed before
 * traffic arrives; the unnamed generator, if it is only looked up by program, at its first lookup. Names known only at run time
 * are not beans: open those with {@link org.snowflakeid.LeasedSnowflake}.
 *
 * <p>To replace a generator, in tests for example, declare an alternative with a priority; nothing is claimed then.
 */
@NullMarked
package org.snowflakeid.cdi;

import org.jspecify.annotations.NullMarked;
