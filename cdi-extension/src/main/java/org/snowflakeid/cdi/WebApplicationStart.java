// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.inject.spi.CDI;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import java.lang.System.Logger.Level;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells the extension when its web application starts. CDI has an event for that, which GlassFish keeps from the extensions of a web
 * application.
 */
public final class WebApplicationStart implements ServletContainerInitializer, ServletContextListener {

    private static final System.Logger LOG = System.getLogger(WebApplicationStart.class.getName());

    @Override
    public void onStartup(@Nullable Set<Class<?>> none, ServletContext application) {
        application.addListener(this);
    }

    @Override
    public void contextInitialized(ServletContextEvent event) {
        try {
            CDI.current()
                    .getBeanManager()
                    .getExtension(SnowflakeExtension.class)
                    .server()
                    .webApplicationStarted();
        } catch (RuntimeException | LinkageError e) {
            LOG.log(Level.DEBUG, "snowflake: this web application has no CDI, or not the portable extension", e);
        }
    }
}
