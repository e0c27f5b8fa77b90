// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.extension;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
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
