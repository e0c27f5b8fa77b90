// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

/** MicroProfile Health is optional: whoever needs {@link SnowflakeHealthCheck} asks here first. */
final class HealthApi {

    private HealthApi() {}

    static boolean isPresent() {
        try {
            Class.forName("org.eclipse.microprofile.health.Readiness", false, HealthApi.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
