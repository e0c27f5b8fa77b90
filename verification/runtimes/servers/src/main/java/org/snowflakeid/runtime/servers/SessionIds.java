// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import jakarta.enterprise.context.SessionScoped;
import jakarta.inject.Inject;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import org.snowflakeid.Snowflake;

/** A bean that servers write away when they passivate a session, its generator included. */
@SessionScoped
public class SessionIds implements Serializable {
    private static final long serialVersionUID = 1L;

    @Inject
    @SuppressWarnings({"NullAway.Init", "serial"}) // what is injected is serializable, though its type doesn't say so
    Snowflake ids;

    private int issued;

    public long next() {
        issued++;
        return ids.nextId();
    }

    public int issued() {
        return issued;
    }

    /** This very bean, written and read as a server does it: with the class loader of the application. */
    public SessionIds passivatedAndActivated() throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(this);
        }
        try (ObjectInputStream in = new ApplicationInput(new ByteArrayInputStream(bytes.toByteArray()))) {
            return (SessionIds) in.readObject();
        }
    }

    /** Whether both have the same generator. */
    public boolean sharesGeneratorWith(SessionIds other) {
        return ids.equals(other.ids);
    }

    private static final class ApplicationInput extends ObjectInputStream {
        ApplicationInput(InputStream in) throws IOException {
            super(in);
        }

        @Override
        protected Class<?> resolveClass(ObjectStreamClass type) throws IOException, ClassNotFoundException {
            return Class.forName(type.getName(), false, Thread.currentThread().getContextClassLoader());
        }
    }
}
