// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.examples.orders;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.json.Json;
import jakarta.json.JsonArray;
import jakarta.json.JsonArrayBuilder;
import jakarta.json.JsonException;
import jakarta.json.JsonObject;
import jakarta.json.JsonReader;
import jakarta.json.JsonString;
import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.io.StringReader;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.rest.SnowflakeText;

/** Takes orders and shows them. It never asks for an id: persisting an order gives it one. */
@Path("/orders")
@ApplicationScoped
@Produces(MediaType.APPLICATION_JSON)
public class OrderResource {

    private static final int MAX_LIST = 1_000;

    @Inject
    @SuppressWarnings("NullAway.Init")
    Database database;

    /** The latest first, which is the order of their ids. */
    @GET
    public JsonArray list() {
        List<Order> orders = database.inTransaction(
                entities -> entities.createQuery("select o from Order o order by o.id desc", Order.class)
                        .setMaxResults(MAX_LIST)
                        .getResultList());
        JsonArrayBuilder list = Json.createArrayBuilder();
        orders.forEach(order -> list.add(json(order)));
        return list.build();
    }

    @GET
    @Path("{id}")
    public JsonObject show(@PathParam("id") @SnowflakeText long id) {
        return json(found(id, database.inTransaction(entities -> entities.find(Order.class, id))));
    }

    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    public Response create(String body, @Context UriInfo request) {
        Order order = new Order(item(body));
        database.inTransaction(entities -> {
            entities.persist(order);
            return order;
        });
        return Response.created(request.getAbsolutePathBuilder().path(id(order)).build())
                .entity(json(order))
                .build();
    }

    @DELETE
    @Path("{id}")
    public Response delete(@PathParam("id") @SnowflakeText long id) {
        Order unused = found(id, database.inTransaction(entities -> {
            Order order = entities.find(Order.class, id);
            if (order != null) {
                entities.remove(order);
            }
            return order;
        }));
        return Response.noContent().build();
    }

    private static Order found(long id, @Nullable Order order) {
        if (order == null) {
            throw new NotFoundException(Response.status(Response.Status.NOT_FOUND)
                    .type(MediaType.APPLICATION_JSON)
                    .entity(Json.createObjectBuilder()
                            .add("error", "there is no order " + id)
                            .build())
                    .build());
        }
        return order;
    }

    private static String item(String body) {
        try (JsonReader reader = Json.createReader(new StringReader(body))) {
            if (reader.readObject().get("item") instanceof JsonString item
                    && !item.getString().isBlank()
                    && item.getString().length() <= Order.MAX_ITEM_LENGTH) {
                return item.getString();
            }
        } catch (JsonException e) {
            throw new BadRequestException("the body is not a JSON object such as {\"item\":\"tea\"}", e);
        }
        throw new BadRequestException("\"item\" is not a text of 1 to " + Order.MAX_ITEM_LENGTH + " characters");
    }

    /** As a text, since JavaScript's numbers end at 2^53. */
    private static String id(Order order) {
        return Objects.requireNonNull(order.id()).toString();
    }

    private static JsonObject json(Order order) {
        return Json.createObjectBuilder()
                .add("id", id(order))
                .add("item", order.item())
                .build();
    }
}
