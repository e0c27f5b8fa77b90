// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/** A text that was given for an id is none: the fault of whoever sent it, never of the generator. */
public class IdFormatException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public IdFormatException(String message) {
        super(message);
    }
}
