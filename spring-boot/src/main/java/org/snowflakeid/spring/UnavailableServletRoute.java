// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/** The answer of {@link UnavailableAdvice} where Spring MVC asks no advice: in functional endpoints, before Spring 6.2. */
final class UnavailableServletRoute implements HandlerExceptionResolver, Ordered {

    /** After those of Spring and of the application. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception failure) {
        if (response.isCommitted() || !UnavailableAdvice.isUnavailable(failure)) {
            return null;
        }
        response.resetBuffer();
        response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        response.setHeader(HttpHeaders.RETRY_AFTER, UnavailableAdvice.RETRY_AFTER);
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        try {
            response.getOutputStream().write(UnavailableAdvice.PROBLEM.getBytes(UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new ModelAndView();
    }
}
