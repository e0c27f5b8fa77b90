// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import jakarta.ws.rs.BadRequestException;
import org.snowflakeid.IdFormatException;

/** A request names an id, in a parameter or its body, with a text that is none. The message may be shown to whoever sent it. */
public class InvalidIdException extends BadRequestException {
    private static final long serialVersionUID = 1L;

    InvalidIdException(IdFormatException cause) {
        super(cause.getMessage(), cause);
    }
}
