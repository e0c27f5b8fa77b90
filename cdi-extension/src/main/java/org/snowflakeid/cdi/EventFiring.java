// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.inject.spi.BeanContainer;
import java.lang.annotation.Annotation;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.snowflakeid.SnowflakeEvent;
import org.snowflakeid.SnowflakeEvent.Claimed;
import org.snowflakeid.SnowflakeEvent.Lost;
import org.snowflakeid.SnowflakeEvent.Resumed;
import org.snowflakeid.SnowflakeEvent.Suspended;
import org.snowflakeid.SnowflakeEvent.Swapped;

/** Passes on what happens to a generator to the application's observers. */
final class EventFiring {

    private EventFiring() {}

    /** The container calls the observers, and guards each: otherwise no observer would be called after the first that fails. */
    static Consumer<SnowflakeEvent> guarded(BeanContainer container, String generator) {
        return happened -> container
                .getEvent()
                .select(GeneratorBeans.qualifiers(generator))
                .fire(happened);
    }

    /** Calls one observer after the other, if the container can't guard them. */
    static Consumer<SnowflakeEvent> oneByOne(BeanContainer container, String generator) {
        ObserverGuard guard = new ObserverGuard(container);
        Annotation[] qualifiers = GeneratorBeans.qualifiers(generator);
        return happened -> container.resolveObserverMethods(happened, qualifiers).stream()
                .filter(observer -> !observer.isAsync())
                .forEach(observer -> guard.tell(observer, new Happened(happened, qualifiers)));
    }

    /** Whether the application observes it. */
    static boolean isObserved(BeanContainer container, String generator) {
        Annotation[] qualifiers = GeneratorBeans.qualifiers(generator);
        return Stream.of(
                        new Claimed(generator, 0),
                        new Lost(generator, 0, ""),
                        new Swapped(generator, 0, 0),
                        new Suspended(generator, 0, ""),
                        new Resumed(generator, 0))
                .flatMap(sample -> container.resolveObserverMethods(sample, qualifiers).stream())
                .anyMatch(observer -> !observer.isAsync());
    }
}
