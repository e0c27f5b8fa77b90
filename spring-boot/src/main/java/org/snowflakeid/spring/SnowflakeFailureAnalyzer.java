// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.spring;

import org.snowflakeid.SnowflakeException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Shows our own message, which names key, value and remedy, without the stack traces around it. */
// First, since some of our failures have causes for which Spring would propose something else.
@Order(Ordered.HIGHEST_PRECEDENCE)
final class SnowflakeFailureAnalyzer extends AbstractFailureAnalyzer<SnowflakeException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SnowflakeException cause) {
        return new FailureAnalysis(cause.getMessage(), "", cause);
    }
}
