// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import jakarta.ws.rs.BadRequestException;
import org.snowflakeid.IdFormatException;

/** A parameter or the body of a request has a text that is not an id. The message may be shown to the client. */
public class InvalidIdException extends BadRequestException {
    private static final long serialVersionUID = 1L;

    InvalidIdException(IdFormatException cause) {
        super(cause.getMessage(), cause);
    }
}
