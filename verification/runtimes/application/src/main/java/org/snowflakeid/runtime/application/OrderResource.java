// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.application;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.Map;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeSettings;
import org.snowflakeid.cdi.SnowflakeName;

/** A second generator, by name. */
@Path("/orders")
@ApplicationScoped
@Produces(MediaType.APPLICATION_JSON)
public class OrderResource {

    private static final int ROUNDS = 10;
    private static final int CALLS = 3_000_000;

    @Inject
    @SnowflakeName("orders")
    @SuppressWarnings("NullAway.Init")
    Snowflake orderIds;

    @GET
    @Path("ids")
    public JsonObject next() {
        return Json.createObjectBuilder()
                .add("id", Long.toString(orderIds.nextId()))
                .add("namespace", orderIds.status().namespace())
                .build();
    }

    /**
     * Nanoseconds per call, each the least of some rounds: of the injected generator, and of one without CDI. Both have so many sequence
     * bits that they never wait for the next millisecond.
     */
    @GET
    @Path("cost")
    public JsonObject cost() {
        SnowflakeSettings settings = SnowflakeSettings.of(Map.of(
                "snowflake.coordinator", "static",
                "snowflake.static.worker-id", "0",
                "snowflake.worker-id-bits", "2",
                "snowflake.sequence-bits", "20"));
        double injected = Double.MAX_VALUE;
        double direct = Double.MAX_VALUE;
        try (LeasedSnowflake ids = LeasedSnowflake.open(settings)) {
            for (int round = 0; round < ROUNDS; round++) {
                injected = Math.min(injected, nanosOfInjected());
                direct = Math.min(direct, nanosOfDirect(ids));
            }
        }
        return Json.createObjectBuilder()
                .add("injected", injected)
                .add("direct", direct)
                .build();
    }

    private double nanosOfInjected() {
        long start = System.nanoTime();
        long last = 0;
        for (int call = 0; call < CALLS; call++) {
            last = orderIds.nextId();
        }
        return nanosPerCall(start, last);
    }

    private static double nanosOfDirect(LeasedSnowflake ids) {
        long start = System.nanoTime();
        long last = 0;
        for (int call = 0; call < CALLS; call++) {
            last = ids.nextId();
        }
        return nanosPerCall(start, last);
    }

    private static double nanosPerCall(long start, long last) {
        if (last <= 0) {
            throw new IllegalStateException("no id");
        }
        return (System.nanoTime() - start) / (double) CALLS;
    }
}
