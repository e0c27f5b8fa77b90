// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeSettings;
import picocli.CommandLine.Option;

/** The arguments by which all commands take settings. */
final class SettingsOptions {

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "A setting of the application, such as -Dsnowflake.etcd.endpoints=http://etcd-1:2379.")
    private Map<String, String> typed = new LinkedHashMap<>();

    @Option(
            names = "--settings",
            paramLabel = "FILE",
            description = "A properties file with settings of the application. Keys of others in it don't matter."
                    + " After both, environment variables are looked at: SNOWFLAKE_ETCD_ENDPOINTS.")
    private List<Path> files = new ArrayList<>();

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description = "The profile of MicroProfile Config that the application runs with: keys such as"
                    + " %%prod.snowflake.namespace, and files such as application-prod.properties, are in force with"
                    + " --profile prod. With none: --profile none.")
    private @Nullable String profile;

    @Option(
            names = "--generator",
            paramLabel = "NAME",
            defaultValue = SnowflakeSettings.DEFAULT_GENERATOR,
            description = "The generator whose namespace is meant, where the application has several.")
    private String generator = SnowflakeSettings.DEFAULT_GENERATOR;

    private final SettingsFiles texts = new SettingsFiles();

    String generator() {
        return generator;
    }

    GivenSettings given(Map<String, String> environment) {
        return addTo(empty(environment, "-D"));
    }

    /** @param option by which a setting is typed that goes before all others */
    GivenSettings empty(Map<String, String> environment, String option) {
        return new GivenSettings(environment, new Profile(profile), option, texts);
    }

    /** What the two ends of a move have in common, after what is said of the one. */
    GivenSettings addTo(GivenSettings settings) {
        settings.typed(typed);
        files.forEach(settings::file);
        return settings;
    }
}
