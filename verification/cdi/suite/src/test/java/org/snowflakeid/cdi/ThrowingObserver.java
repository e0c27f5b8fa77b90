// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.Extension;

/** An observer of {@link ClaimedGenerator}. Weld and OpenWebBeans wrap an error of a bean's observer; Quarkus does not, and none does here. */
final class ThrowingObserver implements Extension {

    private final Error failure;

    ThrowingObserver(Error failure) {
        this.failure = failure;
    }

    void add(@Observes AfterBeanDiscovery event) {
        event.<ClaimedGenerator>addObserverMethod()
                .beanClass(ThrowingObserver.class)
                .observedType(ClaimedGenerator.class)
                .notifyWith(claimed -> {
                    throw failure;
                });
    }
}
