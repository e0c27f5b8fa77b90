// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator;

import org.snowflakeid.NamespaceAdministration;
import org.snowflakeid.NamespaceReport;
import org.snowflakeid.SnowflakeLayout;
import org.snowflakeid.SnowflakeSettings;

/** The namespace that the given settings name, opened. */
final class GivenNamespace implements AutoCloseable {

    private final GivenSettings given;
    private final SnowflakeSettings settings;
    private final NamespaceAdministration namespace;

    GivenNamespace(GivenSettings given, String generator) {
        this.given = given;
        this.settings = given.settings(generator);
        this.namespace = NamespaceAdministration.open(settings);
    }

    NamespaceAdministration administration() {
        return namespace;
    }

    SnowflakeLayout layout() {
        return settings.layout();
    }

    /** Shows it to the operator as it is now. */
    NamespaceReport show(Dialogue dialogue) {
        NamespaceReport report = namespace.report();
        ReportText.summary(report, given.place()).forEach(dialogue::say);
        return report;
    }

    @Override
    public void close() {
        namespace.close();
    }
}
