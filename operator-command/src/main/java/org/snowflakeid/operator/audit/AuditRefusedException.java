// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.operator.audit;

import org.snowflakeid.SnowflakeException;

/** The table can't be read to its end, and the message says why. No text in it is a password. */
public final class AuditRefusedException extends SnowflakeException {
    private static final long serialVersionUID = 1L;

    private final boolean wrongUse;

    private AuditRefusedException(String message, boolean wrongUse) {
        super(message);
        this.wrongUse = wrongUse;
    }

    static AuditRefusedException failed(String message) {
        return new AuditRefusedException(message, false);
    }

    static AuditRefusedException wrongUse(String message) {
        return new AuditRefusedException(message, true);
    }

    /** Whether other arguments would help. */
    public boolean isWrongUse() {
        return wrongUse;
    }
}
