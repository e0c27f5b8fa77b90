// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid;

/** A text is not an id: the fault of its sender, never of the generator. */
public class IdFormatException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public IdFormatException(String message) {
        super(message);
    }
}
