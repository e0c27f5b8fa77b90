// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.concurrent.ContextService;
import java.lang.System.Logger.Level;
import java.util.concurrent.Executor;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.jspecify.annotations.Nullable;

/** Captures a context by Jakarta Concurrency. Its managed executors would take that of the thread which submits a task, and so ours. */
final class CapturedContext {

    private static final System.Logger LOG = System.getLogger(CapturedContext.class.getName());

    private CapturedContext() {}

    /** Runs tasks on the thread that hands them over, with the context of the current one. Null: this server has none to give. */
    @SuppressWarnings("BanJNDI") // a constant, in the application's own namespace
    static @Nullable Executor ofCurrentThread() {
        try {
            ContextService service = (ContextService) new InitialContext().lookup("java:comp/DefaultContextService");
            return service.createContextualProxy(Runnable::run, Executor.class);
        } catch (NamingException | RuntimeException e) {
            LOG.log(Level.DEBUG, "snowflake: observers are called without a context of the server", e);
            return null;
        }
    }
}
