// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import java.lang.System.Logger.Level;
import org.snowflakeid.ClockMovedBackwardsException;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeUnavailableException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;

/**
 * 503, since no id can be made now, also where a commit wraps the exception: Spring looks for handlers of causes too. The reason goes to the
 * log alone: it names hosts. A handler of the application for the same exception, or for one around it, takes precedence.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class UnavailableAdvice {

    private static final String DETAIL = "No id can be made now. Try again later.";

    /** The same as text, for where Spring writes no problem details. */
    static final String PROBLEM = "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,"
            + "\"detail\":\"" + DETAIL + "\"}";

    /** Seconds. */
    static final String RETRY_AFTER = "1";

    private static final System.Logger LOG = System.getLogger(UnavailableAdvice.class.getName());

    /** @param failure {@code none}, or what it caused; thrown again if it has a status, so that Spring looks for another handler */
    @ExceptionHandler(SnowflakeException.class)
    ResponseEntity<ProblemDetail> answer(Exception failure, SnowflakeException none) throws Exception {
        if (isAnswered(failure)) {
            throw failure;
        }
        log(failure, none);
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .header(HttpHeaders.RETRY_AFTER, RETRY_AFTER)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, DETAIL));
    }

    /** Whether it is about ids, and the application has not said which status it is. Logs it. */
    static boolean isUnavailable(Throwable failure) {
        for (Throwable cause = failure; cause != null && !isAnswered(failure); cause = cause.getCause()) {
            if (cause instanceof SnowflakeException none) {
                log(failure, none);
                return true;
            }
        }
        return false;
    }

    private static void log(Throwable failure, SnowflakeException none) {
        LOG.log(isTold(none) ? Level.DEBUG : Level.WARNING, "answered 503, since no id could be made", failure);
    }

    /** Whether the application has said which status it is. */
    private static boolean isAnswered(Throwable failure) {
        return failure instanceof ErrorResponse
                || AnnotatedElementUtils.hasAnnotation(failure.getClass(), ResponseStatus.class)
                || (failure.getCause() != null && isAnswered(failure.getCause()));
    }

    /** The generator itself has logged it, once, and each request would do so again. */
    private static boolean isTold(SnowflakeException failure) {
        return failure instanceof SnowflakeUnavailableException || failure instanceof ClockMovedBackwardsException;
    }
}
