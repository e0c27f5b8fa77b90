// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/** The answer of {@link UnavailableAdvice} where Spring WebFlux asks no advice: in functional endpoints and filters. */
final class UnavailableRoute implements WebExceptionHandler, Ordered {

    /** Just before that of Spring Boot, which answers anything. */
    @Override
    public int getOrder() {
        return -2;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
        ServerHttpResponse response = exchange.getResponse();
        if (response.isCommitted() || !UnavailableAdvice.isUnavailable(failure)) {
            return Mono.error(failure);
        }
        response.setStatusCode(HttpStatus.SERVICE_UNAVAILABLE);
        response.getHeaders().set(HttpHeaders.RETRY_AFTER, UnavailableAdvice.RETRY_AFTER);
        response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        return response.writeWith(Mono.just(response.bufferFactory().wrap(UnavailableAdvice.PROBLEM.getBytes(UTF_8))));
    }
}
