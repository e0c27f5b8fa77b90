// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.application;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** An id from each injection point, in the order of issue. */
@Path("/injection-points")
@ApplicationScoped
@Produces(MediaType.APPLICATION_JSON)
public class InjectionPointResource {

    @Inject
    @SuppressWarnings("NullAway.Init")
    InjectionPoints points;

    @GET
    public JsonObject ids() {
        JsonObjectBuilder ids = Json.createObjectBuilder();
        points.all().forEach((point, generator) -> {
            if (generator != null) {
                ids.add(point, Long.toString(generator.nextId()));
            }
        });
        return ids.build();
    }
}
