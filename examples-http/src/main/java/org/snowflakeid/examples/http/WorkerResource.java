// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.http;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonObjectBuilder;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeStatus;

/** Answers which worker id this process holds. Without one, {@code workerId} and {@code reservedUntil} are left out. */
@Path("/worker")
@ApplicationScoped
@Produces(MediaType.APPLICATION_JSON)
public class WorkerResource {

    @Inject
    @SuppressWarnings("NullAway.Init")
    Snowflake ids;

    @GET
    public JsonObject worker() {
        SnowflakeStatus status = ids.status();
        JsonObjectBuilder answer = Json.createObjectBuilder();
        status.workerId().ifPresent(id -> answer.add("workerId", id));
        answer.add("coordinator", status.coordinator());
        answer.add("namespace", status.namespace());
        answer.add("state", status.state().name());
        status.reservedUntil().ifPresent(until -> answer.add("reservedUntil", until.toString()));
        return answer.build();
    }
}
