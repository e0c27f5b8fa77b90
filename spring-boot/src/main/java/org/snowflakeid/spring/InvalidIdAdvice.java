// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import org.snowflakeid.IdFormatException;
import org.springframework.beans.TypeMismatchException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.server.ServerWebInputException;

/** 400, and what is wrong with the text of an id. A handler of the application for the same exception takes precedence. */
@ControllerAdvice
final class InvalidIdAdvice implements Ordered {

    /** Of Spring Boot, where the application asks for problem details: it has its order before that of an application's handlers. */
    private static final String PROBLEM_DETAILS = "problemDetailsExceptionHandler";

    private final BeanFactory beans;

    InvalidIdAdvice(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public int getOrder() {
        return beans.containsBean(PROBLEM_DETAILS) ? -1 : LOWEST_PRECEDENCE;
    }

    /** @param failure caused by {@code bad}; thrown again if it is not about the request, so that Spring looks for another handler */
    @ExceptionHandler(IdFormatException.class)
    ResponseEntity<ProblemDetail> answer(Exception failure, IdFormatException bad) throws Exception {
        if (failure instanceof TypeMismatchException
                || failure instanceof HttpMessageNotReadableException
                || failure instanceof ServerWebInputException) {
            return ResponseEntity.badRequest()
                    .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                    .body(ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, bad.getMessage()));
        }
        throw failure;
    }
}
