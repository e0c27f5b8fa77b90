// SPDX-License-Identifier: Apache-2.0
package javax.crac;

/** As a JDK with checkpoints has it. */
public final class RestoreException extends Exception {
    private static final long serialVersionUID = 1L;
}
