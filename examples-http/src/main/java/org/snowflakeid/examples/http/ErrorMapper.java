// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.http;

import jakarta.json.Json;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.ResponseBuilder;
import jakarta.ws.rs.core.Response.Status;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.rest.InvalidIdException;

/** Answers every failure as {@code {"error": "..."}}. */
public abstract class ErrorMapper<E extends Exception> implements ExceptionMapper<E> {

    private static final System.Logger LOG = System.getLogger(ErrorMapper.class.getName());

    @Override
    public Response toResponse(E failure) {
        SnowflakeException noId = noId(failure);
        if (noId != null) {
            return json(Response.status(Status.SERVICE_UNAVAILABLE).header(HttpHeaders.RETRY_AFTER, 1), noId);
        }
        if (failure instanceof NotFoundException unknown) {
            // Left empty, Helidon goes on to look among its own services, such as health.
            return unknown.getResponse();
        }
        if (failure instanceof WebApplicationException refusal) {
            // Keeps headers such as Allow.
            return json(Response.fromResponse(refusal.getResponse()), failure);
        }
        LOG.log(Level.ERROR, "unexpected failure of a request", failure);
        return json(Response.serverError(), null);
    }

    /** Persistence providers and transactions wrap it. */
    private static @Nullable SnowflakeException noId(Exception failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SnowflakeException found) {
                return found;
            }
        }
        return null;
    }

    private static Response json(ResponseBuilder response, @Nullable Exception reason) {
        String message = reason == null ? null : reason.getMessage();
        return response.type(MediaType.APPLICATION_JSON)
                .entity(Json.createObjectBuilder()
                        .add("error", message == null ? "internal error" : message)
                        .build())
                .build();
    }

    @Provider
    public static class OfAnything extends ErrorMapper<Exception> {}

    /** Instead of the problem details of snowflake-rest. */
    @Provider
    public static class OfBadIds extends ErrorMapper<InvalidIdException> {}

    /** As for {@link OfBadIds}. */
    @Provider
    public static class OfGenerators extends ErrorMapper<SnowflakeException> {}
}
