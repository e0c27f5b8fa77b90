// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.cdi;

import java.util.HashMap;
import java.util.Hashtable;
import java.util.Map;
import javax.naming.Context;
import javax.naming.InitialContext;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.naming.spi.InitialContextFactory;

/** What a server has in JNDI, for the thread that starts an application alone. */
public final class TestNaming implements InitialContextFactory {

    static final String FACTORY = Context.INITIAL_CONTEXT_FACTORY + "=" + TestNaming.class.getName();

    static final ThreadLocal<Map<String, Object>> NAMES = ThreadLocal.withInitial(HashMap::new);

    @Override
    public Context getInitialContext(Hashtable<?, ?> environment) throws NamingException {
        return new InitialContext(true) {
            @Override
            public Object lookup(String name) throws NamingException {
                Object found = NAMES.get().get(name);
                if (found instanceof NamingException failure) {
                    throw failure;
                }
                if (found == null) {
                    NamingException wrapped = new NamingException("lookup failed for " + name);
                    wrapped.setRootCause(new NameNotFoundException(name));
                    throw wrapped;
                }
                return found;
            }
        };
    }
}
