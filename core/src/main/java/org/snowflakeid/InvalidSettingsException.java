// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

import java.util.List;

/** One or more settings are wrong. Each problem names the key, the value seen and the remedy. */
public class InvalidSettingsException extends SnowflakeException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    public InvalidSettingsException(List<String> problems) {
        super(String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    /** All problems; the message has one on each line. */
    public List<String> problems() {
        return problems;
    }
}
