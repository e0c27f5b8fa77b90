// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.SnowflakeUnavailableException;

/** As an application has them. */
@Path("/")
@Produces(MediaType.TEXT_PLAIN)
public class OrderResource {

    public static class Order {
        @org.snowflakeid.json.SnowflakeText
        public long id;

        @org.snowflakeid.json.SnowflakeText
        public @Nullable Long parent;
    }

    @GET
    @Path("path/{id}")
    public String path(@PathParam("id") @SnowflakeText long id) {
        return "got " + id;
    }

    @GET
    @Path("hex/{id}")
    public String hex(@PathParam("id") @SnowflakeText(SnowflakeFormat.HEX) Long id) {
        return "got " + id;
    }

    @GET
    @Path("of-json/{id}")
    public String ofJson(@PathParam("id") @org.snowflakeid.json.SnowflakeText(SnowflakeFormat.CROCKFORD) long id) {
        return "got " + id;
    }

    @GET
    @Path("query")
    public String query(
            @QueryParam("id") @SnowflakeText @Nullable Long id,
            @QueryParam("from") @DefaultValue("7") @SnowflakeText long from,
            @QueryParam("any") @SnowflakeText List<Long> any,
            @HeaderParam("Order") @SnowflakeText @Nullable Long header) {
        return "got " + id + " " + from + " " + any + " " + header;
    }

    @GET
    @Path("maybe")
    public String maybe(@QueryParam("id") @SnowflakeText Optional<Long> id) {
        return "got " + id.map(String::valueOf).orElse("none");
    }

    @GET
    @Path("boxes")
    public String boxes(@QueryParam("id") @SnowflakeText Long[] ids) {
        return "got " + Arrays.toString(ids);
    }

    @GET
    @Path("primitive")
    public String primitive(@QueryParam("id") @SnowflakeText long id) {
        return "got " + id;
    }

    @GET
    @Path("plain/{number}")
    public String plain(@PathParam("number") long number) {
        return "got " + number;
    }

    @POST
    @Path("orders")
    @Consumes(MediaType.APPLICATION_JSON)
    @Produces(MediaType.APPLICATION_JSON)
    public Order order(Order order) {
        return order;
    }

    @GET
    @Path("unavailable")
    public String unavailable() {
        throw new SnowflakeUnavailableException("snowflake 'default': no ids since etcd-1.internal went away");
    }

    @GET
    @Path("coordinator")
    public String coordinator() {
        throw new CoordinatorException("etcd-1.internal refuses the password", true);
    }
}
