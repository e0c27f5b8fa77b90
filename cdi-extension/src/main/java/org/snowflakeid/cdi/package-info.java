// SPDX-License-Identifier: Apache-2.0
/**
 * Injection of {@link org.snowflakeid.Snowflake}, configured through MicroProfile Config.
 *
 * <p>The unnamed generator is always a bean. A named one is a bean if its {@link org.snowflakeid.cdi.SnowflakeName} stands at
 * some injection point of the application, {@code Instance} and {@code Provider} included. What is injected is claimed before
 * traffic arrives; the unnamed generator, if it is only looked up by program, at its first lookup. Names known only at run time
 * are not beans: open those with {@link org.snowflakeid.LeasedSnowflake}. Beans that are not enabled count for nothing. Each generator
 * that an {@code @Any Instance<Snowflake>} is asked for is opened, so going through all of them claims a worker id for each;
 * {@code handles()} looks at them without.
 *
 * <p>Ids can be had until the application has ended: in {@code @PreDestroy} of all beans in containers of CDI Full, in that of
 * {@code @ApplicationScoped} beans everywhere. Then all worker ids are given back together.
 *
 * <p>{@code @Observes} {@link org.snowflakeid.SnowflakeEvent}, or one of its kinds, tells what happens to the generators, and with a
 * qualifier to one of them: {@link org.snowflakeid.cdi.SnowflakeName}, or {@code @Default} for the unnamed one. Observers run
 * one after the other on a thread of the generator's own, with the application's class loader and without a request context: one in a
 * bean of {@code @RequestScoped} is not told, and a WARNING says so. They hold up nothing; what one throws is logged, and the others are told
 * all the same. The first may be told before the application has finished its start, and none once its generators end.
 * {@code @ObservesAsync} is not told.
 *
 * <p>To replace a generator, in tests for example, declare an alternative with a priority; nothing is claimed then, and its settings don't
 * matter. A {@code @Decorator} of {@link org.snowflakeid.Snowflake} has no effect: generators are synthetic beans, which containers don't
 * decorate. An alternative that injects a generator of another name can do the same.
 */
@NullMarked
package org.snowflakeid.cdi;

import org.jspecify.annotations.NullMarked;
