// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import java.time.Duration;
import java.util.Set;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.administration.NamespaceAdministration;
import org.snowflakeid.administration.NamespaceReport;

/** The namespace that the given settings name, opened. */
final class GivenNamespace implements AutoCloseable {

    static final String MAX_SKEW = "snowflake.clock.max-skew";

    private final GivenSettings given;
    private final SnowflakeSettings settings;
    private final NamespaceAdministration namespace;

    GivenNamespace(GivenSettings given, String generator) {
        this.given = given;
        this.settings = given.settings(generator);
        given.requireCoordinator();
        this.namespace = NamespaceAdministration.open(settings);
    }

    NamespaceAdministration administration() {
        return namespace;
    }

    SnowflakeLayout layout() {
        return settings.layout();
    }

    Duration window() {
        return settings.window();
    }

    /** How wrong clocks may be, with the key. */
    String maxSkew() {
        return given.shown(settings.generator(), MAX_SKEW);
    }

    String name() {
        return settings.namespace();
    }

    String coordinator() {
        return settings.coordinator().orElse("?");
    }

    /** Where the coordinator is; empty if that is not known. */
    String place() {
        return given.place();
    }

    /** Where it is, for people: the namespace, its coordinator and that one's place. */
    String described(NamespaceReport report) {
        return ReportText.described(report, given.place());
    }

    /** Where it is, for people; with the id of its record, if that can be read now. */
    String describedWithId() {
        try {
            NamespaceReport report = namespace.report();
            return described(report) + report.id().map(id -> ", id " + id).orElse("");
        } catch (SnowflakeException e) {
            return name() + " at " + coordinator() + (place().isEmpty() ? "" : " (" + place() + ")");
        }
    }

    /** That there may be other namespaces to be treated alike, for people. */
    String ofOneGenerator() {
        Set<String> others = given.otherGenerators(settings.generator());
        return "This is the namespace of the generator '" + settings.generator()
                + "' alone. Each other generator of the application has its own"
                + (others.isEmpty() ? ", if there are others" : ": " + String.join(", ", others))
                + ". Run this for each of them, with --generator NAME, before the application starts.";
    }

    GivenSettings given() {
        return given;
    }

    /** Shows it to the operator as it is now. */
    SeenNamespace show(Dialogue dialogue) {
        SeenNamespace seen = SeenNamespace.at(namespace);
        ReportText.summary(seen, given).forEach(dialogue::say);
        return seen;
    }

    @Override
    public void close() {
        namespace.close();
    }
}
