// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.CDI;
import java.io.Serializable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.SnowflakeStatus.State;
import org.snowflakeid.SnowflakeUnavailableException;

/** Ids for the place where a {@link GeneratorReference} is, from the application's generator of that name. */
public final class ReferencedGenerator implements Serializable {
    private static final long serialVersionUID = 1L;

    private final String generator;
    private final String place;
    private transient volatile @Nullable Snowflake ids;

    /**
     * Looks for nothing yet, so that it can be made before there is an application.
     *
     * @param place where the reference is, as a message should name it: {@code field id of com.acme.Order}
     */
    public ReferencedGenerator(String generator, String place) {
        this.generator = generator;
        this.place = place;
    }

    /**
     * The next id of the generator. The first call looks it up, and claims its worker id unless that was done at the start. If that
     * generator was closed since, it is looked up again.
     *
     * @throws SnowflakeException if there is no id now, or no such generator
     */
    public long nextId() {
        return get(Snowflake::nextId);
    }

    /** As {@link #nextId}, by a call that takes one id. */
    <T> T get(Function<Snowflake, T> call) {
        Snowflake found = ids;
        if (found == null) {
            found = find();
            ids = found;
        }
        try {
            return call.apply(found);
        } catch (SnowflakeUnavailableException e) {
            return ofItsSuccessor(found, call, e);
        }
    }

    /** What holds a reference may outlive an application, as an entity manager factory does that several tests share. */
    private <T> T ofItsSuccessor(Snowflake found, Function<Snowflake, T> call, SnowflakeUnavailableException failure) {
        if (found.status().state() != State.CLOSED) {
            throw failure;
        }
        ids = null;
        Snowflake next;
        try {
            next = find();
        } catch (SnowflakeException e) {
            failure.addSuppressed(e);
            throw failure;
        }
        ids = next;
        return call.apply(next);
    }

    private Snowflake find() {
        Instance<Snowflake> beans;
        try {
            beans = CDI.current().select(Snowflake.class, GeneratorBeans.qualifier(generator));
        } catch (IllegalStateException | LinkageError e) {
            throw new SnowflakeException(
                    complaint("there is no CDI container that could have it")
                            + " Start the container first. On Spring Boot use snowflake-hibernate with"
                            + " snowflake-spring-boot-starter. If you start Hibernate yourself, put a GeneratorSource"
                            + " into its settings.",
                    e);
        }
        if (beans.isUnsatisfied()) {
            throw new SnowflakeException(complaint("the application has no generator of this name")
                    + " Snowflake ID did not see this class when the application started. Set"
                    + " snowflake.claim-at-start=" + generator
                    + ", or have the container discover all classes: bean-discovery-mode=\"all\" in beans.xml.");
        }
        if (beans.isAmbiguous()) {
            throw new SnowflakeException(complaint("the application has several beans for it")
                    + " Keep one of them, or make it an alternative with a priority.");
        }
        return beans.get();
    }

    private String complaint(String reason) {
        return "snowflake '" + generator + "': no id for " + place + ", because " + reason + ".";
    }
}
