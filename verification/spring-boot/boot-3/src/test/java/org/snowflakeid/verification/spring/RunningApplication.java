// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** {@link Application}, with a server on a port of its own, a database in memory, and worker ids that no other one shares. */
final class RunningApplication implements AutoCloseable {

    private final HttpClient client = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context;

    /** @param settings as on the command line, without the hyphens */
    static RunningApplication start(String... settings) {
        return new RunningApplication(settings);
    }

    private RunningApplication(String... settings) {
        String name = UUID.randomUUID().toString();
        List<String> arguments = new ArrayList<>(List.of(
                "server.address=127.0.0.1",
                "server.port=0",
                "spring.datasource.url=jdbc:h2:mem:" + name,
                "spring.jpa.hibernate.ddl-auto=create",
                "snowflake.coordinator=memory",
                "snowflake.memory.store=" + name,
                "snowflake.claim-at-start=default,orders"));
        // The last one counts.
        for (String setting : settings) {
            String key = setting.substring(0, setting.indexOf('=') + 1);
            arguments.removeIf(argument -> argument.startsWith(key));
            arguments.add(setting);
        }
        context = new SpringApplicationBuilder(Application.class)
                .registerShutdownHook(false)
                .run(arguments.stream().map(argument -> "--" + argument).toArray(String[]::new));
    }

    ConfigurableApplicationContext context() {
        return context;
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(request(path).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path, String header, String value) throws IOException, InterruptedException {
        return client.send(request(path).header(header, value).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> postJson(String path, String json) throws IOException, InterruptedException {
        return client.send(
                request(path)
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(json))
                        .build(),
                BodyHandlers.ofString());
    }

    HttpResponse<String> post(String path) throws IOException, InterruptedException {
        return client.send(request(path).POST(BodyPublishers.noBody()).build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    @Override
    public void close() {
        context.close();
    }
}
