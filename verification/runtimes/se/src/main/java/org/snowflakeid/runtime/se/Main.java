// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.se;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.smallrye.health.SmallRyeHealth;
import io.smallrye.health.SmallRyeHealthReporter;
import jakarta.enterprise.context.control.RequestContextController;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.json.JsonStructure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeFormat;
import org.snowflakeid.examples.http.IdResource;
import org.snowflakeid.examples.http.WorkerResource;
import org.snowflakeid.runtime.application.EventResource;
import org.snowflakeid.runtime.application.InjectionPointResource;
import org.snowflakeid.runtime.application.OrderResource;

/** Starts the container, which claims worker ids, then opens the port. */
public final class Main {

    private final SeContainer container;

    private Main(SeContainer container) {
        this.container = container;
    }

    /** Runs until SIGTERM. */
    public static void main(String[] arguments) throws IOException {
        SeContainer container = SeContainerInitializer.newInstance().initialize();
        HttpServer server = HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.getInteger("server.port")), 0);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            server.stop(0);
            if (container.isRunning()) {
                container.close();
            }
        }));
        server.createContext("/", new Main(container)::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        try (exchange) {
            if (path.equals("/health/ready")) {
                SmallRyeHealth health = get(SmallRyeHealthReporter.class).getReadiness();
                answer(exchange, health.isDown() ? 503 : 200, health.getPayload());
            } else {
                answer(exchange, 200, resource(path));
            }
        } catch (RuntimeException e) {
            e.printStackTrace();
            exchange.sendResponseHeaders(500, -1);
        }
    }

    private JsonStructure resource(String path) {
        return switch (path) {
            case "/ids" ->
                Json.createObjectBuilder()
                        .add("id", Long.toString(get(Snowflake.class).nextId()))
                        .build();
            case "/worker" -> get(WorkerResource.class).worker();
            case "/orders/ids" -> get(OrderResource.class).next();
            case "/orders/cost" -> get(OrderResource.class).cost();
            case "/events" -> get(EventResource.class).heard();
            case "/injection-points" -> inRequest(get(InjectionPointResource.class)::ids);
            default -> get(IdResource.class).explain(SnowflakeFormat.DECIMAL.parse(path.substring("/ids/".length())));
        };
    }

    private JsonObject inRequest(Supplier<JsonObject> answer) {
        RequestContextController request = get(RequestContextController.class);
        boolean activated = request.activate();
        try {
            return answer.get();
        } finally {
            if (activated) {
                request.deactivate();
            }
        }
    }

    private <T> T get(Class<T> type) {
        return container.select(type).get();
    }

    private static void answer(HttpExchange exchange, int status, JsonStructure body) throws IOException {
        byte[] bytes = body.toString().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }
}
