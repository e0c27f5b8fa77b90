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
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
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

    private static final long NANOS_BETWEEN_WARNINGS = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanoTime;

    /** When a clock that is behind was warned of. */
    private final AtomicLong lastWarning;

    /** For Jakarta REST. */
    public UnavailableMapper() {
        this(System::nanoTime);
    }

    UnavailableMapper(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.lastWarning = new AtomicLong(nanoTime.getAsLong() - NANOS_BETWEEN_WARNINGS);
    }

    @Override
    public Response toResponse(SnowflakeException failure) {
        LOG.log(isTold(failure) ? Level.DEBUG : Level.WARNING, "answered 503, since no id could be made", failure);
        return Problem.response(Status.SERVICE_UNAVAILABLE, "No id can be made now. Try again later.")
                .header(HttpHeaders.RETRY_AFTER, 1)
                .build();
    }

    /** Each request would log again what the generator itself has logged, or what the last request has. */
    private boolean isTold(SnowflakeException failure) {
        if (!(failure instanceof ClockMovedBackwardsException)) {
            return failure instanceof SnowflakeUnavailableException;
        }
        long now = nanoTime.getAsLong();
        long last = lastWarning.get();
        return now - last < NANOS_BETWEEN_WARNINGS || !lastWarning.compareAndSet(last, now);
    }
}
