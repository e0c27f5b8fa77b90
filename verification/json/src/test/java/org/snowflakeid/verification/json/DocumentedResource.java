// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.json;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import org.snowflakeid.json.SnowflakeText;

/** What an application shows to OpenAPI. */
@Path("orders")
public class DocumentedResource {

    public static class Order {
        @SnowflakeText
        public long id;

        @SnowflakeText
        public Long replaces;

        public long quantity;
    }

    public record Item(@SnowflakeText long id) {}

    @GET
    @Path("{id}")
    public Order order(@PathParam("id") @SnowflakeText long id, @QueryParam("quantity") long quantity) {
        return new Order();
    }

    @GET
    @Path("items/{id}")
    public Item item(@PathParam("id") @org.snowflakeid.rest.SnowflakeText long id) {
        return new Item(id);
    }
}
