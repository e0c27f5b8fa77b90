// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.snowflakeid.SnowflakeEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

@Component
class Alerts {

    private static final Logger LOG = LoggerFactory.getLogger(Alerts.class);

    @EventListener
    void noMoreIds(SnowflakeEvent.Suspended event) {
        LOG.error("{} has no ids: {}", event.generator(), event.reason());
    }
}
