// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;

/** 400, and what is wrong with the text. A mapper of the application for the same exception takes precedence. */
@Provider
@Priority(Priorities.USER + 1000)
public class InvalidIdMapper implements ExceptionMapper<InvalidIdException> {

    @Override
    public Response toResponse(InvalidIdException failure) {
        return Problem.response(Status.BAD_REQUEST, String.valueOf(failure.getMessage()))
                .build();
    }
}
