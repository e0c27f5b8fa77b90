// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

/** MicroProfile Health is optional: whoever needs {@link SnowflakeHealthCheck} asks here first. */
final class HealthApi {

    static final String QUALIFIER = "org.eclipse.microprofile.health.Readiness";

    private HealthApi() {}

    static boolean isPresent() {
        try {
            Class.forName(QUALIFIER, false, HealthApi.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
