// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.application;

import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Inject;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.Snowflake;

/** Every way to come by a generator. */
@RequestScoped
public class InjectionPoints {

    private final @Nullable Snowflake constructor;

    private @Nullable Snowflake method;

    @Inject
    @SuppressWarnings("NullAway.Init")
    Snowflake field;

    @Inject
    @SuppressWarnings("NullAway.Init")
    Instance<Snowflake> instance;

    /** For the proxy. */
    protected InjectionPoints() {
        constructor = null;
    }

    @Inject
    public InjectionPoints(Snowflake ids) {
        constructor = ids;
    }

    @Inject
    void method(Snowflake ids) {
        method = ids;
    }

    public Map<String, @Nullable Snowflake> all() {
        Map<String, @Nullable Snowflake> all = new LinkedHashMap<>();
        all.put("field", field);
        all.put("constructor", constructor);
        all.put("method", method);
        all.put("instance", instance.get());
        all.put(
                "lookup",
                CDI.current().select(Snowflake.class, Default.Literal.INSTANCE).get());
        return all;
    }
}
