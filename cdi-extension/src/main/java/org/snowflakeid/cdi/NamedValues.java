// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import org.jspecify.annotations.Nullable;
import org.snowflakeid.InvalidSettingsException;

/** Where the values of keys come from. */
interface NamedValues {

    /**
     * Null if the key is not set.
     *
     * @throws InvalidSettingsException if it can't be resolved
     */
    @Nullable
    String value(String key);

    /** Of everything that is set, whatever it belongs to, variables by their own names. */
    Iterable<String> names();

    /** Those of the application that asks. */
    static NamedValues ofTheApplication() {
        try {
            return new MicroProfileValues();
        } catch (NoClassDefFoundError e) {
            // Not asked by name beforehand, since a native image would not find the class so.
            if (!String.valueOf(e.getMessage()).startsWith(MicroProfileValues.API)) {
                throw e;
            }
            return new SystemValues();
        }
    }
}
