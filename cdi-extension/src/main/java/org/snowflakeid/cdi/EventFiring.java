// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.event.Event;
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
final class EventFiring implements Consumer<SnowflakeEvent> {

    private final Event<Object> event;

    EventFiring(BeanContainer container, String generator) {
        event = container.getEvent().select(Generators.qualifiers(generator));
    }

    @Override
    public void accept(SnowflakeEvent happened) {
        event.fire(happened);
    }

    /** Whether anybody would hear of it. */
    static boolean isObserved(BeanContainer container, String generator) {
        Annotation[] qualifiers = Generators.qualifiers(generator);
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
