// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.inject.spi.BeanContainer;
import jakarta.enterprise.inject.spi.DeploymentException;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeEvent;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeSettings;

/** Opens the generators of an application, at its start or when one is first wanted, and has them shown. */
final class Generators {

    private static final System.Logger LOG = System.getLogger(Generators.class.getName());

    private final BeanContainer container;
    private final GeneratorBeans beans;
    private final Collection<String> atStart;

    /** @param atStart the generators of this application that are claimed at its start */
    Generators(BeanContainer container, Collection<String> atStart) {
        this.container = container;
        this.beans = new GeneratorBeans(container);
        this.atStart = atStart;
    }

    /**
     * Claims a worker id for each generator of the start that has none yet, and has them shown. If one fails, none is kept.
     *
     * @throws DeploymentException saying why
     */
    void claim() {
        StartCheck check = new StartCheck(container, atStart);
        check.validate();
        check.warn();
        try {
            atStart.forEach(beans::open);
            show(beans.openAmong(atStart));
        } catch (Throwable e) {
            // A container that fails to start need not destroy what it has created.
            InjectedSnowflake.closeAll(beans.openAmong(atStart));
            if (e instanceof Error error) {
                throw error;
            }
            throw new DeploymentException(reason(e), e);
        }
    }

    /** What shows them is not worth a start. A library of another version fails with a {@link LinkageError}. */
    private void show(Collection<InjectedSnowflake> open) {
        List<InjectedSnowflake> unseen =
                open.stream().filter(InjectedSnowflake::beginToShow).toList();
        if (OptionalApi.OPEN_TELEMETRY.isPresent()) {
            try {
                SnowflakeGauges.show(container, unseen);
            } catch (RuntimeException | LinkageError e) {
                LOG.log(Level.WARNING, "snowflake: no metrics, because the application's OpenTelemetry failed", e);
            }
        }
        unseen.forEach(this::tellOf);
    }

    private void tellOf(InjectedSnowflake ids) {
        try {
            container.getEvent().select(ClaimedGenerator.class).fire(new ClaimedGenerator(ids));
        } catch (RuntimeException | LinkageError e) {
            LOG.log(
                    Level.WARNING,
                    "snowflake '" + ids.status().generator() + "': an observer of ClaimedGenerator failed."
                            + " The generator works; what the observer was to show of it may be missing.",
                    e);
        }
    }

    /** Our own message rather than that of the container's wrapping. */
    private static String reason(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SnowflakeException && cause.getMessage() != null) {
                return cause.getMessage();
            }
        }
        // Its class, where it has no message.
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }

    /**
     * Claims a worker id.
     *
     * @param listener gets what happens to the generator, if it is observed
     */
    @SuppressWarnings("ThreadPriorityCheck") // the one that any thread begins with
    InjectedSnowflake create(String generator, Consumer<? super SnowflakeEvent> listener) {
        ApplicationResources resources = new ApplicationResources(container, generator);
        SnowflakeSettings settings =
                new StartCheck(container, atStart).settings(generator).withResources(resources);
        boolean observed = EventFiring.isObserved(container, generator);
        Thread caller = Thread.currentThread();
        int priority = caller.getPriority();
        // The generator's threads inherit it, and Tomcat deploys with the lowest.
        caller.setPriority(Thread.NORM_PRIORITY);
        try {
            LeasedSnowflake open = observed ? LeasedSnowflake.open(settings, listener) : LeasedSnowflake.open(settings);
            InjectedSnowflake ids = new InjectedSnowflake(open);
            ids.whenClosed(() -> resources.release(ids.endsWithOthers()));
            return ids;
        } catch (Throwable e) {
            resources.release(false);
            throw e;
        } finally {
            caller.setPriority(priority);
        }
    }

    /** Gives the worker id back, at once or with all others at the end of the application. */
    static void destroy(Snowflake ids) {
        ((InjectedSnowflake) ids).destroyed();
    }
}
