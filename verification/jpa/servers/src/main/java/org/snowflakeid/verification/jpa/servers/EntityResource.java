// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.jpa.servers;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.snowflakeid.verification.jpa.EclipseLinkPurchase;
import org.snowflakeid.verification.jpa.EntityStep;
import org.snowflakeid.verification.jpa.HibernatePurchase;
import org.snowflakeid.verification.jpa.PortablePurchase;
import org.snowflakeid.verification.jpa.Purchase;

/** What comes of each step with a persistence unit: that it works, or why not. */
@Path("/entities")
@ApplicationScoped
@Produces(MediaType.APPLICATION_JSON)
public class EntityResource {

    private static final Map<String, Supplier<Purchase>> PURCHASES = Map.of(
            "eclipselink", EclipseLinkPurchase::new,
            "hibernate", HibernatePurchase::new,
            "portable", PortablePurchase::new);

    @Inject
    @SuppressWarnings("NullAway.Init")
    Units units;

    @GET
    public JsonArray units() {
        return Json.createArrayBuilder(PURCHASES.keySet()).build();
    }

    @GET
    @Path("{unit}")
    public JsonObject run(@PathParam("unit") String unit) {
        JsonObjectBuilder outcomes = Json.createObjectBuilder();
        units.transact(
                unit,
                entities -> outcomes.add(
                        "provider", entities.getDelegate().getClass().getName()));
        for (EntityStep step : EntityStep.values()) {
            outcomes.add(step.name(), outcome(step, unit));
        }
        return outcomes.build();
    }

    @SuppressWarnings("CatchThrowable") // an AssertionError, or whatever else comes of it
    private String outcome(EntityStep step, String unit) {
        try {
            step.run(work -> units.transact(unit, work), Objects.requireNonNull(PURCHASES.get(unit)));
            return "works";
        } catch (Throwable failure) {
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            return trace.toString();
        }
    }
}
