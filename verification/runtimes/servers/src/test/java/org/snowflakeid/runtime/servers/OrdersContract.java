// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.json;

import jakarta.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.snowflakeid.runtime.Launcher;
import org.snowflakeid.runtime.RunningApplication;

/** Entities of the examples on a server: their ids are made by {@code snowflake-jpa}, and are text in its Jakarta REST. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OrdersContract {

    /** For servers that have Jakarta Persistence, and no database. */
    static Path serversArchive() {
        return MergedArchive.of(
                "orders-with-database.war", List.of(Path.of("target/orders.war")), Path.of("target/h2.jar"));
    }

    /** For those that have neither. */
    static Path servletsArchive() {
        return MergedArchive.of(
                "orders-with-libraries.war",
                List.of(Path.of("target/servlet-orders.war"), ServletContainerContract.LIBRARIES));
    }

    private final String server;
    private final Launcher launcher;

    /** How the provider of Jakarta Persistence introduces itself in the log. */
    private final String provider;

    @SuppressWarnings("NullAway.Init")
    private RunningApplication application;

    OrdersContract(String server, Launcher launcher, String provider) {
        this.server = server;
        this.launcher = launcher;
        this.provider = provider;
    }

    final RunningApplication application() {
        return application;
    }

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        application = RunningApplication.launch(
                launcher,
                server + "-orders",
                Map.of("SNOWFLAKE_COORDINATOR", "file", "SNOWFLAKE_FILE_DIRECTORY", directory.toString()));
        HttpResponse<String> ignored = application.await("/orders", answer -> answer.statusCode() == 200);
    }

    @AfterAll
    void end() throws Exception {
        try {
            assertThat(application.terminate()).isEqualTo(128 + 15);
        } finally {
            application.close();
        }
    }

    @Test
    void insertsEntitiesAndReadsTheirIdsAsText() throws Exception {
        String first = insert("tea");
        String second = insert("coffee");

        assertThat(Long.parseLong(second)).isGreaterThan(Long.parseLong(first));
        JsonObject read = json(application.get("/orders/" + first));
        assertThat(read.getString("id")).isEqualTo(first);
        assertThat(read.getString("item")).isEqualTo("tea");
        assertThat(application.get("/orders").body())
                .contains("{\"id\":\"" + second + "\",\"item\":\"coffee\"}")
                .contains("{\"id\":\"" + first + "\",\"item\":\"tea\"}");
        assertThat(json(application.get("/ids/" + first)).getInt("workerId"))
                .isEqualTo(json(application.get("/worker")).getInt("workerId"));
        assertThat(application.get("/orders/ten").statusCode()).isEqualTo(400);
        assertThat(application.log()).containsPattern(provider);
    }

    private String insert(String item) throws Exception {
        HttpResponse<String> created = application.send("POST", "/orders", "{\"item\":\"" + item + "\"}");
        assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
        return json(created).getString("id");
    }
}
