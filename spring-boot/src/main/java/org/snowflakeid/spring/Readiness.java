// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.util.LinkedHashMap;
import java.util.Map;
import org.snowflakeid.InvalidSettingsException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeStatus;

/**
 * The health contributor's answer: the same as that of the readiness check of MicroProfile. It never opens a generator, and reports {@code
 * UNCLAIMED} for one that is not open.
 *
 * @param ready whether every open generator is
 */
record Readiness(boolean ready, Map<String, Object> details) {

    static Readiness of(Generators generators) {
        Map<String, Object> details = new LinkedHashMap<>();
        String enabled = generators.keys().value("snowflake.health.enabled");
        if (enabled != null && enabled.strip().equals("false")) {
            // Not left out: a group that names it would stop the start.
            details.put("enabled", false);
            return new Readiness(true, details);
        }
        boolean ready = true;
        for (String generator : generators.all()) {
            LeasedSnowflake ids = generators.open().get(generator);
            if (ids == null) {
                describeUnclaimed(generators, generator, details);
            } else {
                SnowflakeStatus status = ids.status();
                ready &= status.ready();
                describe(status, details);
            }
        }
        return new Readiness(ready, details);
    }

    /** The application has not asked it for an id: that is no reason to send traffic elsewhere, whatever its settings are. */
    private static void describeUnclaimed(Generators generators, String generator, Map<String, Object> details) {
        details.put(generator + ".state", "UNCLAIMED");
        try {
            generators.keys().settings(generator);
        } catch (InvalidSettingsException e) {
            details.put(generator + ".lastError", String.valueOf(e.getMessage()));
        }
    }

    private static void describe(SnowflakeStatus status, Map<String, Object> details) {
        String prefix = status.generator() + ".";
        details.put(prefix + "state", status.state().name());
        status.workerId().ifPresent(id -> details.put(prefix + "workerId", id));
        if (status.workerIds().size() > 1) {
            details.put(prefix + "workerIds", status.workerIds().toString());
        }
        details.put(prefix + "coordinator", status.coordinator());
        details.put(prefix + "namespace", status.namespace());
        status.reservedUntil().ifPresent(until -> details.put(prefix + "reservedUntil", until.toString()));
        details.put(prefix + "driftMillis", status.drift().toMillis());
        status.lastError().ifPresent(error -> details.put(prefix + "lastError", error));
        status.clockWarning().ifPresent(warning -> details.put(prefix + "clockWarning", warning));
    }
}
