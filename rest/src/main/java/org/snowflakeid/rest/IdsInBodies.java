// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import jakarta.ws.rs.ConstrainedTo;
import jakarta.ws.rs.RuntimeType;
import jakarta.ws.rs.ext.Provider;
import jakarta.ws.rs.ext.ReaderInterceptor;
import jakarta.ws.rs.ext.ReaderInterceptorContext;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.IdFormatException;

/** Makes 400 of a body with a wrong id. What JSON libraries throw is 500 in one runtime and 400 in another. */
@Provider
@ConstrainedTo(RuntimeType.SERVER)
public class IdsInBodies implements ReaderInterceptor {

    @Override
    public @Nullable Object aroundReadFrom(ReaderInterceptorContext context) throws IOException {
        try {
            return context.proceed();
        } catch (IOException | RuntimeException failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                if (cause instanceof IdFormatException bad) {
                    throw new InvalidIdException(bad);
                }
            }
            throw failure;
        }
    }
}
