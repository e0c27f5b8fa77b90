// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.application;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.snowflakeid.SnowflakeEvent;

/** What the generators told observers. */
@Path("/events")
@ApplicationScoped
@Produces(MediaType.APPLICATION_JSON)
public class EventResource {

    private final List<String> heard = new CopyOnWriteArrayList<>();

    void hear(@Observes SnowflakeEvent event) {
        heard.add(event.generator() + " " + event.getClass().getSimpleName());
    }

    @GET
    public JsonArray heard() {
        return Json.createArrayBuilder(heard).build();
    }
}
