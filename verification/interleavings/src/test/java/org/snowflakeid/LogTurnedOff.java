// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Thousands of schedules in a second would each warn of what they lead to. */
final class LogTurnedOff implements BeforeAllCallback, AfterAllCallback {

    private static final Logger LOG = Logger.getLogger("org.snowflakeid");

    @Override
    public void beforeAll(ExtensionContext context) {
        LOG.setLevel(Level.OFF);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        LOG.setLevel(null);
    }
}
