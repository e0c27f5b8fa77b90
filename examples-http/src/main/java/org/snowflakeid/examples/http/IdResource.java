// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.http;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonObject;
import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.UriInfo;
import org.snowflakeid.IdParts;
import org.snowflakeid.Snowflake;
import org.snowflakeid.rest.SnowflakeText;

/** Issues ids and explains them. Ids travel as strings, since JavaScript's numbers end at 2^53. */
@Path("/ids")
@ApplicationScoped
@Produces(MediaType.APPLICATION_JSON)
public class IdResource {

    private static final int MAX_COUNT = 10_000;

    @Inject
    @SuppressWarnings("NullAway.Init")
    Snowflake ids;

    @GET
    public JsonObject next(@Context UriInfo request) {
        // Not @QueryParam: Quarkus takes an empty one for none.
        String count = request.getQueryParameters().getFirst("count");
        if (count == null) {
            return Json.createObjectBuilder()
                    .add("id", Long.toString(ids.nextId()))
                    .build();
        }
        JsonArrayBuilder batch = Json.createArrayBuilder();
        for (long id : ids.nextIds(parseCount(count))) {
            batch.add(Long.toString(id));
        }
        return Json.createObjectBuilder().add("ids", batch).build();
    }

    @GET
    @Path("{id}")
    public JsonObject explain(@PathParam("id") @SnowflakeText long id) {
        IdParts parts = ids.layout().decode(id);
        return Json.createObjectBuilder()
                .add("id", Long.toString(id))
                .add("timestamp", parts.timestamp().toString())
                .add("workerId", parts.workerId())
                .add("sequence", parts.sequence())
                .build();
    }

    private static int parseCount(String text) {
        if (text.matches("[1-9][0-9]{0,4}") && Integer.parseInt(text) <= MAX_COUNT) {
            return Integer.parseInt(text);
        }
        throw new BadRequestException("count=" + shortened(text) + " is not a number between 1 and " + MAX_COUNT);
    }

    private static String shortened(String text) {
        return text.length() <= 40 ? text : text.substring(0, 40) + "...";
    }
}
