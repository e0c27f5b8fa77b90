// SPDX-License-Identifier: Apache-2.0
/**
 * For the tests of applications, without a server. Two ways, in every container and without one:
 *
 * <ul>
 *   <li>The whole generator, with a coordinator in memory: {@code snowflake.coordinator=memory} in the configuration of the
 *       tests. It is chosen by name only, so the coordinator for production may stay on the class path. The test finds its
 *       state, and switches that break it, in {@link org.snowflakeid.testing.MemoryStore#named}; for tests that must not see
 *       each other, {@code snowflake.memory.store} names a store of their own, or
 *       {@link org.snowflakeid.testing.MemoryStore#discard} empties the common one.
 *   <li>Ids that are the same in each run: a {@link org.snowflakeid.testing.TestSnowflake} in the generator's place. Nothing is
 *       claimed then, and no setting matters.
 * </ul>
 *
 * <p>In CDI an alternative puts it there; it can be injected as what it is, too, to move its clock:
 *
 * <pre>{@code
 * @Alternative @Priority(1) @ApplicationScoped
 * class FixedIds {
 *     @Produces @Singleton
 *     TestSnowflake ids() {
 *         return TestSnowflake.workerId(7);
 *     }
 * }
 * }</pre>
 *
 * If only some tests want it, {@code @AddBeanClasses} of weld-junit or {@code @AddBean} of Helidon names the class there; in
 * Quarkus the priority is left out, and {@code getEnabledAlternatives()} of a test profile names the class.
 *
 * <p>For the generator of a name the producer carries its {@code @SnowflakeName} as well. The first two annotations belong on the
 * class: on a producer CDI 4.0 ignores the priority.
 */
@NullMarked
package org.snowflakeid.testing;

import org.jspecify.annotations.NullMarked;
