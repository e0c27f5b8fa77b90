// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import java.lang.System.Logger.Level;
import org.snowflakeid.ClockMovedBackwardsException;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeUnavailableException;

/**
 * 503, since no id can be made now. The reason goes to the log alone: it names hosts. A mapper of the application for the same exception
 * takes precedence.
 */
@Provider
@Priority(Priorities.USER + 1000)
public class UnavailableMapper implements ExceptionMapper<SnowflakeException> {

    private static final System.Logger LOG = System.getLogger(UnavailableMapper.class.getName());

    @Override
    public Response toResponse(SnowflakeException failure) {
        LOG.log(isTold(failure) ? Level.DEBUG : Level.WARNING, "answered 503, since no id could be made", failure);
        return Problem.response(Status.SERVICE_UNAVAILABLE, "No id can be made now. Try again later.")
                .header(HttpHeaders.RETRY_AFTER, 1)
                .build();
    }

    /** The generator itself has logged it, once, and each request would do so again. */
    private static boolean isTold(SnowflakeException failure) {
        return failure instanceof SnowflakeUnavailableException || failure instanceof ClockMovedBackwardsException;
    }
}
