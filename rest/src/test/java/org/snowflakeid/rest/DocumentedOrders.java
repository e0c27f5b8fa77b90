// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import jakarta.json.bind.annotation.JsonbTypeDeserializer;
import jakarta.json.bind.annotation.JsonbTypeSerializer;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.json.JsonbText;
import org.snowflakeid.json.SnowflakeText;

/** What docs/json-and-rest.md shows: {@link JsonAndRestPageTest} compares them. */
final class DocumentedOrders {

    private final Orders orders = id -> new Order();

    private interface Orders {
        Order find(long id);
    }

    @SuppressWarnings("ClassCanBeStatic") // The page has no surroundings.
    public class Order {
        @SnowflakeText
        public long id; // "id":"911852594806915072"

        @SnowflakeText
        public Long replaces; // "replaces":null stays null

        public long quantity; // "quantity":3
    }

    public record Item(
            @SnowflakeText @JsonbTypeDeserializer(JsonbText.class)
            long id,

            String name) {}

    @SuppressWarnings("ClassCanBeStatic") // As above.
    public class Parcel {
        @JsonbTypeSerializer(JsonbText.Hex.class)
        @JsonbTypeDeserializer(JsonbText.Hex.class)
        public long id;
    }

    @GET
    @Path("{id}")
    public Order order(@PathParam("id") @SnowflakeText long id) {
        return orders.find(id);
    }

    static long again(long id) {
        String text = SnowflakeFormat.CROCKFORD.format(id);
        long same = SnowflakeFormat.CROCKFORD.parse(text); // IdFormatException: says what is wrong, and where
        return same;
    }
}
