// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.administration;

import org.snowflakeid.CoordinatorException;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.administration.NamespaceRefusedException.Reason;

/**
 * Restoring or moving a namespace ended half-way: the namespace is retired, or may be. Its processes issue what they have reserved, at most a window,
 * and then nothing. So do the same again soon; what was done already is not done twice. The cause is what went wrong: usually a {@link
 * CoordinatorException}; a {@link NamespaceRefusedException} if something changed meanwhile, and then look first at what it says.
 */
public final class NamespaceUnfinishedException extends SnowflakeException {
    private static final long serialVersionUID = 1L;

    NamespaceUnfinishedException(NamespacePlace retired, SnowflakeException cause) {
        super(
                cause.getMessage() + "\n" + retired.described()
                        + " is, or may be, retired: nothing is extended there, and its ids end within a window. "
                        + (isChange(cause) ? "So decide soon." : "Do the same again."),
                cause);
    }

    /** Its message says to look first, at what changed or has come up meanwhile: the same might be wrong by now. */
    private static boolean isChange(SnowflakeException cause) {
        return cause instanceof NamespaceRefusedException refused
                && (refused.reason() == Reason.CHANGED || refused.reason() == Reason.DOUBT);
    }
}
