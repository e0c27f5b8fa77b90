// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

/** APIs that a runtime may lack: ask here before you load a class that uses one. */
enum OptionalApi {
    /** For {@link SnowflakeHealthCheck}. */
    MICROPROFILE_HEALTH("org.eclipse.microprofile.health.Readiness"),

    /** For {@link CapturedContext}. */
    CONCURRENCY("jakarta.enterprise.concurrent.ContextService"),

    /** For {@link SnowflakeGauges}. */
    OPEN_TELEMETRY("io.opentelemetry.api.OpenTelemetry"),

    /** For {@link CheckpointResource}. */
    CRAC("org.crac.Resource");

    private final String className;

    OptionalApi(String className) {
        this.className = className;
    }

    String className() {
        return className;
    }

    boolean isPresent() {
        try {
            Class.forName(className, false, OptionalApi.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
