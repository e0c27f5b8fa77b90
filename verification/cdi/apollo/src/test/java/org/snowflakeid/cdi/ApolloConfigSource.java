// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import com.ctrip.framework.apollo.Config;
import com.ctrip.framework.apollo.ConfigService;
import java.util.Set;
import org.eclipse.microprofile.config.spi.ConfigSource;

/** What Apollo has for this application. */
public final class ApolloConfigSource implements ConfigSource {
    private final Config apollo = ConfigService.getAppConfig();

    @Override
    public String getName() {
        return "Apollo";
    }

    @Override
    public Set<String> getPropertyNames() {
        return apollo.getPropertyNames();
    }

    @Override
    public String getValue(String key) {
        return apollo.getProperty(key, null);
    }
}
