// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.quarkus.arc.InjectableInstance;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import org.snowflakeid.Snowflake;
import org.snowflakeid.cdi.SnowflakeName;
import org.snowflakeid.json.SnowflakeText;

/** An application that says nothing of a coordinator. */
@Path("/orders")
public class Orders {

    @Inject
    Snowflake ids;

    @Inject
    @SnowflakeName("invoices")
    Snowflake invoiceIds;

    /** Quarkus' own kind of instance. */
    @Inject
    @SnowflakeName("receipts")
    InjectableInstance<Snowflake> receiptIds;

    /** A type of its own for an id. */
    public record OrderId(@JsonValue @SnowflakeText long value) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public OrderId {}
    }

    public static class Order {
        @SnowflakeText
        public long id;
    }

    @GET
    public Order order() {
        Order order = new Order();
        order.id = ids.nextId();
        return order;
    }

    @POST
    @Path("own")
    @Consumes(MediaType.APPLICATION_JSON)
    @Produces(MediaType.APPLICATION_JSON)
    public OrderId own(OrderId id) {
        return id;
    }

    @GET
    @Path("receipt")
    public String receipt() {
        return receiptIds.get().status().generator();
    }

    @GET
    @Path("status")
    public String status() {
        return ids.status().toString();
    }

    /** Each generator's coordinator has one, and each leftover of an application that was replaced. */
    @GET
    @Path("threads")
    public long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("snowflake-"))
                .count();
    }
}
