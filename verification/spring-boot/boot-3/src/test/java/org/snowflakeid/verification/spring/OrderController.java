// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.SnowflakeUnavailableException;
import org.snowflakeid.json.SnowflakeText;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Ids wherever a request has them. */
@RestController
@RequestMapping("/orders")
class OrderController {

    record Order(
            @SnowflakeText long id, @SnowflakeText @Nullable Long parent) {}

    /** A type of its own for an id. */
    record OrderId(@JsonValue @SnowflakeText long value) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        OrderId {}
    }

    record Basket(
            @SnowflakeText List<Long> items,
            @SnowflakeText Map<Long, Integer> amounts,
            @SnowflakeText Map<String, List<Long>> shelves,
            List<Long> prices) {}

    @GetMapping("/path/{id}")
    String path(@PathVariable("id") @SnowflakeText long id) {
        return "got " + id;
    }

    @GetMapping("/hex/{id}")
    String hex(@PathVariable("id") @SnowflakeText(SnowflakeFormat.HEX) Long id) {
        return "got " + id;
    }

    @GetMapping("/query")
    String query(
            @RequestParam(name = "id", required = false) @SnowflakeText @Nullable Long id,
            @RequestParam(name = "from", defaultValue = "7") @SnowflakeText long from,
            @RequestHeader(name = "Order", required = false) @SnowflakeText @Nullable Long header) {
        return "got " + id + " " + from + " " + header;
    }

    @GetMapping("/any")
    String any(
            @RequestParam(name = "id", required = false) @SnowflakeText @Nullable List<Long> ids,
            @RequestParam(name = "other", required = false) @SnowflakeText long @Nullable [] others,
            @RequestParam(name = "maybe") @SnowflakeText Optional<Long> maybe) {
        return "got " + ids + " " + (others == null ? 0 : others.length) + " " + maybe.orElse(null);
    }

    @GetMapping("/form")
    String form(Order order) {
        return "got " + order.id + " " + order.parent;
    }

    @GetMapping("/plain/{number}")
    String plain(@PathVariable("number") long number) {
        return "got " + number;
    }

    @PostMapping("/body")
    Order body(@RequestBody Order order) {
        return order;
    }

    @PostMapping("/own")
    OrderId own(@RequestBody OrderId id) {
        return id;
    }

    @PostMapping("/basket")
    Basket basket(@RequestBody Basket basket) {
        return basket;
    }

    @GetMapping("/wrapped")
    String wrapped() {
        throw new IllegalStateException(unavailable());
    }

    @GetMapping("/gone")
    String gone() {
        throw new Gone(unavailable());
    }

    @GetMapping("/sold")
    String sold() {
        throw new ResponseStatusException(HttpStatus.CONFLICT, "sold", unavailable());
    }

    @GetMapping("/own-fault")
    String ownFault() {
        return "got " + SnowflakeFormat.DECIMAL.parse("a column");
    }

    private static SnowflakeUnavailableException unavailable() {
        return new SnowflakeUnavailableException("snowflake 'default': no ids since etcd-1.internal went away");
    }

    @ResponseStatus(HttpStatus.GONE)
    static final class Gone extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Gone(Throwable cause) {
            super(cause);
        }
    }
}
