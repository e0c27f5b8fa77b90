// SPDX-License-Identifier: Apache-2.0
import org.jspecify.annotations.NullMarked;
import org.snowflakeid.spi.WorkerCoordinatorProvider;

/** Ids whose worker id is leased from a coordinator: what applications use, what a coordinator implements, and the keys of the settings. */
@NullMarked
@SuppressWarnings("module") // The modules that stored lines are shown to need this one.
module org.snowflakeid {
    requires static transitive org.jspecify;
    // Optional: a small image made by jlink may lack it.
    requires static jdk.jfr;

    exports org.snowflakeid;
    exports org.snowflakeid.config;
    exports org.snowflakeid.files;
    exports org.snowflakeid.records to
            org.snowflakeid.administration,
            org.snowflakeid.operator;
    exports org.snowflakeid.spi;

    uses WorkerCoordinatorProvider;
}
