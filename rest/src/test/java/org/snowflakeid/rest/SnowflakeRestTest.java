// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import org.glassfish.jersey.jackson.JacksonFeature;
import org.glassfish.jersey.jdkhttp.JdkHttpServerFactory;
import org.glassfish.jersey.jsonb.JsonBindingFeature;
import org.glassfish.jersey.server.ResourceConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.SnowflakeException;

class SnowflakeRestTest {

    @Nested
    class WithJsonB extends OnJersey {
        WithJsonB() {
            super(JsonBindingFeature.class);
        }
    }

    @Nested
    class WithJackson extends OnJersey {
        WithJackson() {
            super(JacksonFeature.class);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnJersey {

        private final Class<?> jsonFeature;
        private final HttpClient client = HttpClient.newHttpClient();
        private HttpServer server;

        OnJersey(Class<?> jsonFeature) {
            this.jsonFeature = jsonFeature;
        }

        @BeforeAll
        void start() {
            server = serve(config());
        }

        private ResourceConfig config() {
            return new ResourceConfig(
                            OrderResource.class,
                            IdParameters.class,
                            IdsInBodies.class,
                            InvalidIdMapper.class,
                            UnavailableMapper.class,
                            MarkedMethods.class,
                            jsonFeature)
                    // Otherwise both JSON libraries are there.
                    .property("jersey.config.disableAutoDiscovery", true)
                    .property("jersey.config.disableMetainfServicesLookup", true);
        }

        private static HttpServer serve(ResourceConfig config) {
            String host = InetAddress.getLoopbackAddress().getHostAddress();
            return JdkHttpServerFactory.createHttpServer(URI.create("http://" + host + ":0/"), config);
        }

        @AfterAll
        void stop() {
            server.stop(0);
        }

        private HttpResponse<String> get(String path) throws Exception {
            return send(request(server, path).header("Order", "12").GET());
        }

        private HttpResponse<String> post(String json) throws Exception {
            return send(request(server, "/orders")
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(json)));
        }

        private static HttpRequest.Builder request(HttpServer server, String path) {
            return HttpRequest.newBuilder(
                    URI.create("http://" + server.getAddress().getHostString() + ":"
                            + server.getAddress().getPort() + path));
        }

        private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
            return client.send(request.build(), BodyHandlers.ofString());
        }

        private static JsonObject problem(HttpResponse<String> answer, int status) {
            assertThat(answer.statusCode()).isEqualTo(status);
            assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
            try (var reader = Json.createReader(new StringReader(answer.body()))) {
                JsonObject problem = reader.readObject();
                assertThat(problem).containsOnlyKeys("title", "status", "detail");
                assertThat(problem.getInt("status")).isEqualTo(status);
                return problem;
            }
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "/path/911852594806915072       | got 911852594806915072",
                    "/path/0                        | got 0",
                    "/hex/0ca78d1a90fc0000          | got 911852594806915072",
                    "/of-json/0S9WD3A8FR000         | got 911852594806915072",
                    "/query                         | got null 7 [] 12",
                    "/query?id=5&from=8&any=1&any=2 | got 5 8 [1, 2] 12",
                    "/primitive?id=5                | got 5",
                    "/primitive                     | got 0",
                    "/maybe?id=5                    | got 5",
                    "/maybe                         | got none",
                    "/boxes?id=5&id=6               | got [5, 6]",
                    "/plain/+5                      | got 5"
                })
        void passesIdsToResources(String path, String answer) throws Exception {
            assertThat(get(path).body()).isEqualTo(answer);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "/path/abc",
                    "/path/1e3",
                    "/path/+5",
                    "/path/-5",
                    "/path/1.0",
                    "/path/9223372036854775808",
                    "/path/%205",
                    "/path/%D9%A1",
                    "/path/%22",
                    "/path/%5C",
                    "/path/%00",
                    "/path/%F0%9D%9F%8F",
                    "/hex/5",
                    "/of-json/911852594806915072",
                    "/query?id=abc",
                    "/query?id=",
                    "/query?from=abc",
                    "/query?any=1&any=x",
                    "/maybe?id=%2B5",
                    "/maybe?id=abc",
                    "/maybe?id=",
                    "/boxes?id=5&id=%2B6"
                })
        void answersAnythingElseBy400(String path) throws Exception {
            JsonObject problem = problem(get(path), 400);

            assertThat(problem.getString("title")).isEqualTo("Bad Request");
            assertThat(problem.getString("detail")).contains(" is not an id");
        }

        @Test
        void tellsWhatIsWrong() throws Exception {
            assertThat(problem(get("/path/1%22\u00e9".replace("\u00e9", "%C3%A9")), 400)
                            .getString("detail"))
                    .isEqualTo("'1\"\u00e9' is not an id in the format decimal: '\"' at index 1 is none of 0123456789");
        }

        @Test
        void acceptsAndReturnsIdsInBodies() throws Exception {
            HttpResponse<String> answer = post("{\"id\":\"911852594806915072\",\"parent\":null}");

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).contains("\"id\":\"911852594806915072\"");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "\"abc\"",
                    "\"1e3\"",
                    "\"-5\"",
                    "\"9223372036854775808\"",
                    "\"\"",
                    "911852594806915072",
                    "null",
                    "{\"a\":[]}"
                })
        void answersAWrongIdInABodyBy400(String value) throws Exception {
            JsonObject problem = problem(post("{\"id\":" + value + ",\"parent\":\"7\"}"), 400);

            assertThat(problem.getString("detail")).contains(" is not an id").doesNotContain("Internal error");
        }

        @ParameterizedTest
        @ValueSource(strings = {"/unavailable", "/coordinator"})
        void answers503WithoutTheReasonWhenNoIdCanBeMade(String path) throws Exception {
            HttpResponse<String> answer = get(path);

            assertThat(problem(answer, 503).getString("title")).isEqualTo("Service Unavailable");
            assertThat(answer.headers().firstValue("Retry-After")).contains("1");
            assertThat(answer.body()).doesNotContain("etcd");
        }

        // ids were numbers, and any text was taken
        @Test
        void refusesAMarkWhereNothingLooksForIt() {
            Map<Class<?>, String> wrong = Map.of(
                    Returning.class,
                    "$Returning.ids(), which is a method, and what it returns is written without",
                    TakingText.class,
                    "@SnowflakeText stands on parameter 0 of public java.lang.String "
                            + TakingText.class.getName()
                            + ".order(java.lang.String), which is neither a long or Long, nor a collection,"
                            + " array or Optional of these, but java.lang.String.",
                    TakingABody.class,
                    "which is neither a long or Long",
                    TakingPrimitives.class,
                    "TakingPrimitives.order(long[]), which is a long[], which Jersey reads without a look at it."
                            + " Take a List<Long> or a Long[].",
                    MarkedImplementation.class,
                    "@SnowflakeText stands on parameter 0 of public java.lang.String "
                            + MarkedImplementation.class.getName()
                            + ".order(long), which is not the method with the REST annotations, and Jersey reads"
                            + " parameters without a look at it. Put it on the parameter of public abstract"
                            + " java.lang.String " + Unmarked.class.getName() + ".order(long).",
                    MisplacedInTheInterface.class,
                    "@SnowflakeText stands on parameter 0 of public abstract java.lang.String "
                            + Misplaced.class.getName() + ".order(java.lang.String), which is neither a long or Long");
            wrong.forEach((resource, message) -> assertThatThrownBy(
                            () -> serve(config().register(resource)).stop(0))
                    .as(resource.getName())
                    .hasStackTraceContaining(message));
        }

        @Test
        void obeysAMarkInTheInterfaceThatHasTheRestAnnotations() throws Exception {
            HttpServer marked = serve(config().register(MarkedInTheInterface.class)
                    .register(MarkedInBoth.class)
                    .register(MarkedWithAnnotationsOfItsOwn.class));
            try {
                for (String path : List.of("/marked/", "/both/", "/own/")) {
                    assertThat(send(request(marked, path + "5").GET()).body()).isEqualTo("got 5");
                    problem(send(request(marked, path + "+5").GET()), 400);
                }
            } finally {
                marked.stop(0);
            }
        }

        @Test
        void leavesBothAnswersToMappersOfTheApplication() throws Exception {
            HttpServer own = serve(config().register(OwnBadId.class).register(OwnUnavailable.class));
            try {
                assertThat(send(request(own, "/path/abc").GET()).body()).isEqualTo("bad");
                assertThat(send(request(own, "/unavailable").GET()).body()).isEqualTo("none");
            } finally {
                own.stop(0);
            }
        }
    }

    @Path("/wrong")
    public static class Returning {
        @GET
        @org.snowflakeid.json.SnowflakeText
        public List<Long> ids() {
            return List.of(5L);
        }
    }

    @Path("/wrong")
    public static class TakingText {
        @GET
        public String order(@QueryParam("id") @SnowflakeText String id) {
            return id;
        }
    }

    @Path("/wrong")
    public static class TakingABody {
        @POST
        public String order(@SnowflakeText OrderResource.Order order) {
            return "got " + order.id;
        }
    }

    // it took +5
    @Path("/wrong")
    public static class TakingPrimitives {
        @GET
        public String order(@QueryParam("id") @SnowflakeText long[] ids) {
            return "got " + ids.length;
        }
    }

    @Path("/unmarked")
    public interface Unmarked {
        @GET
        @Path("{id}")
        String order(@PathParam("id") long id);
    }

    // it took +5
    public static class MarkedImplementation implements Unmarked {
        @Override
        public String order(@SnowflakeText long id) {
            return "got " + id;
        }
    }

    @Path("/marked")
    public interface Marked {
        @GET
        @Path("{id}")
        String order(@PathParam("id") @SnowflakeText long id);
    }

    public static class MarkedInTheInterface implements Marked {
        @Override
        public String order(long id) {
            return "got " + id;
        }
    }

    @Path("/both")
    public static class MarkedInBoth implements Marked {
        @Override
        public String order(@SnowflakeText long id) {
            return "got " + id;
        }
    }

    @Path("/own")
    public static class MarkedWithAnnotationsOfItsOwn implements Unmarked {
        @Override
        @GET
        @Path("{id}")
        public String order(@PathParam("id") @SnowflakeText long id) {
            return "got " + id;
        }
    }

    @Path("/misplaced")
    public interface Misplaced {
        @GET
        @Path("{id}")
        String order(@PathParam("id") @SnowflakeText String id);
    }

    public static class MisplacedInTheInterface implements Misplaced {
        @Override
        public String order(String id) {
            return id;
        }
    }

    public static class OwnBadId implements ExceptionMapper<InvalidIdException> {
        @Override
        public Response toResponse(InvalidIdException failure) {
            return Response.status(400).entity("bad").build();
        }
    }

    public static class OwnUnavailable implements ExceptionMapper<SnowflakeException> {
        @Override
        public Response toResponse(SnowflakeException failure) {
            return Response.status(503).entity("none").build();
        }
    }
}
