// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import jakarta.annotation.Resource;
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
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeEvent;

/** What the generators told a bean that needs something of its server. The first event creates the bean. */
@Path("/resource-events")
@ApplicationScoped
@Produces(MediaType.APPLICATION_JSON)
public class ResourceObserver {

    private final List<String> heard = new CopyOnWriteArrayList<>();

    @Resource(name = "place")
    private @Nullable String place;

    void hear(@Observes SnowflakeEvent event) {
        heard.add(event.generator() + " " + event.getClass().getSimpleName() + " at " + place);
    }

    @GET
    public JsonArray heard() {
        return Json.createArrayBuilder(heard).build();
    }
}
