// SPDX-License-Identifier: Apache-2.0
/**
 * Injection of {@link org.snowflakeid.Snowflake}, configured through MicroProfile Config.
 *
 * <p>The unnamed generator is always a bean. A named one is a bean if its {@link org.snowflakeid.cdi.SnowflakeName} stands at
 * some injection point of the application, {@code Instance} and {@code Provider} included. What is injected is claimed before
 * traffic arrives; the unnamed generator, if it is only looked up by program, at its first lookup. Names known only at run time
 * are not beans: open those with {@link org.snowflakeid.LeasedSnowflake}.
 *
 * <p>{@code @Observes} {@link org.snowflakeid.SnowflakeEvent}, or one of its kinds, tells what happens to the generators, and with a
 * qualifier to one of them: {@link org.snowflakeid.cdi.SnowflakeName}, or {@code @Default} for the unnamed one. Observers run
 * one after the other on a thread of the generator's own, with the application's class loader and without a request context;
 * they hold up nothing, and what they throw is logged. The first may be told before the application has finished its start, and
 * none once its generators are being destroyed. {@code @ObservesAsync} is not told.
 *
 * <p>To replace a generator, in tests for example, declare an alternative with a priority; nothing is claimed then.
 */
@NullMarked
package org.snowflakeid.cdi;

import org.jspecify.annotations.NullMarked;
