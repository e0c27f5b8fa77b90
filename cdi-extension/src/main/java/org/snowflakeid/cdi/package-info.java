// SPDX-License-Identifier: Apache-2.0
/**
 * Injection of {@link org.snowflakeid.Snowflake}, configured through MicroProfile Config, or without that by system properties and
 * environment variables.
 *
 * <p>The unnamed generator is always a bean. A named one is a bean if its {@link org.snowflakeid.cdi.SnowflakeName} is at some
 * injection point of the application, {@code Instance} and {@code Provider} included. What is injected is claimed before traffic arrives.
 * If your code only looks up the unnamed generator, it is claimed at the first lookup. Names that are known only at run time are not
 * beans: open such generators with {@link org.snowflakeid.LeasedSnowflake}. Injection points of beans that are not enabled do not count.
 * Each generator that an {@code @Any Instance<Snowflake>} is asked for is opened, so a loop over all of them claims a worker id for each;
 * {@code handles()} looks at them without a claim.
 *
 * <p>Ids can be had until the application has ended: in {@code @PreDestroy} of all beans in containers of CDI Full, in that of
 * {@code @ApplicationScoped} beans everywhere. Then all worker ids are given back together.
 *
 * <p>{@code @Observes} {@link org.snowflakeid.SnowflakeEvent}, or one of its kinds, gets what happens to the generators. A qualifier chooses
 * one of them: {@link org.snowflakeid.cdi.SnowflakeName}, or {@code @Default} for the unnamed one. Observers run one after the other on a
 * thread of the generator's own, with the application's class loader and without a request context. So an observer in a bean of
 * {@code @RequestScoped} is not called, and a WARNING says so. Observers delay nothing. What one throws is logged, and the others are
 * called all the same. The first event may come before the application has finished its start, and none comes once its generators end.
 * {@code @ObservesAsync} gets nothing.
 *
 * <p>To replace a generator, in tests for example, declare an alternative with a priority; nothing is claimed then, and its settings don't
 * matter. A {@code @Decorator} of {@link org.snowflakeid.Snowflake} has no effect: generators are synthetic beans, which containers don't
 * decorate. An alternative that injects a generator of another name can do the same.
 */
@NullMarked
package org.snowflakeid.cdi;

import org.jspecify.annotations.NullMarked;
