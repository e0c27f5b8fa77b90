// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.quarkus;

import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.spi.Context;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanContainer;
import jakarta.enterprise.inject.spi.CDI;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.snowflakeid.Snowflake;
import org.snowflakeid.SnowflakeStatus;
import org.snowflakeid.cdi.SnowflakeName;

/** In dev mode: the generators of the application and what they are doing, as a table. Opens none of them. */
public final class GeneratorsPage implements Handler<RoutingContext> {

    @Override
    public void handle(RoutingContext request) {
        request.response()
                .putHeader("Content-Type", "text/html; charset=utf-8")
                .putHeader("Cache-Control", "no-store")
                .end(page(rows(CDI.current().getBeanContainer())));
    }

    /** By generator, so that they are in order. */
    private static Map<String, String> rows(BeanContainer container) {
        Context singletons = container.getContext(Singleton.class);
        Map<String, String> rows = new TreeMap<>();
        for (Bean<?> bean : container.getBeans(Snowflake.class, Any.Literal.INSTANCE)) {
            Optional<String> name = name(bean);
            if (name.isPresent() && bean.getScope().equals(Singleton.class)) {
                Object open = singletons.get(bean);
                rows.put(
                        name.get(),
                        open == null
                                ? row(name.get(), "UNCLAIMED", "", "", "", "", "")
                                : row(((Snowflake) open).status()));
            }
        }
        return rows;
    }

    private static Optional<String> name(Bean<?> bean) {
        return bean.getQualifiers().stream()
                .filter(SnowflakeName.class::isInstance)
                .map(qualifier -> ((SnowflakeName) qualifier).value())
                .findFirst();
    }

    private static String row(SnowflakeStatus status) {
        return row(
                status.generator(),
                status.state().name(),
                status.workerIds().stream().map(String::valueOf).collect(Collectors.joining(", ")),
                status.namespace(),
                status.coordinator(),
                status.reservedUntil().map(Instant::toString).orElse(""),
                status.lastError().orElse(""));
    }

    private static String row(String... cells) {
        return Stream.of(cells)
                .map(cell -> "<td>" + cell.replace("&", "&amp;").replace("<", "&lt;") + "</td>")
                .collect(Collectors.joining("", "<tr>", "</tr>"));
    }

    private static String page(Map<String, String> rows) {
        return """
                <!DOCTYPE html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta http-equiv="refresh" content="5">
                <title>Snowflake ID: generators</title>
                <style>
                body { font: 14px sans-serif; margin: 1rem; background: #fff; color: #222 }
                table { border-collapse: collapse }
                th, td { text-align: left; padding: .4rem .8rem; border-bottom: 1px solid #ccc }
                </style>
                </head>
                <body>
                <table>
                <tr><th>generator</th><th>state</th><th>worker ids</th><th>namespace</th><th>coordinator</th><th>reserved until</th><th>last error</th></tr>
                %s
                </table>
                </body>
                </html>
                """.formatted(String.join("\n", rows.values()));
    }
}
