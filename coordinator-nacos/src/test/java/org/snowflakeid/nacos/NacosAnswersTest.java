// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.nacos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.assertPermanent;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.RecordStore;

/** Answers that are made up, since a server gives them only at times. */
class NacosAnswersTest {
    private static final String META = "snowflake/meta";
    private static final String ABSENT = "{\"code\":20004,\"message\":\"config data not exist\"}";

    private final HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

    /** By method and path. */
    private final Map<String, AtomicReference<Made>> answers = Map.of(
            "POST /nacos/v3/auth/user/login", made(200, "{\"accessToken\":\"t\",\"tokenTtl\":18000}"),
            "GET /nacos/v3/admin/cs/config", made(404, ABSENT),
            "POST /nacos/v3/admin/cs/config", made(200, "{\"code\":0,\"data\":true}"),
            "GET /nacos/v3/admin/cs/config/export", made(200, ""));

    private final RecordStore store;

    /** @param body a character for each byte */
    private record Made(int status, String body) {}

    NacosAnswersTest() throws IOException {
        Map<String, String> keys = Map.of(
                "snowflake.nacos.server-addr",
                        "127.0.0.1:" + server.getAddress().getPort(),
                "snowflake.nacos.user", "app",
                "snowflake.nacos.password", "apple");
        store = new NacosStore(new NacosSettings(new CoordinatorConfig("orders", "snowflake", TIMEOUT, keys::get)));
    }

    private static AtomicReference<Made> made(int status, String body) {
        return new AtomicReference<>(new Made(status, body));
    }

    private void answer(String request, int status, String body) {
        answers.get(request).set(made(status, body).get());
    }

    @BeforeEach
    void start() {
        server.createContext("/", exchange -> {
            try (HttpExchange each = exchange) {
                Made made = answers.get(each.getRequestMethod() + " "
                                + each.getRequestURI().getPath())
                        .get();
                each.getRequestBody().readAllBytes();
                byte[] body = made.body().getBytes(StandardCharsets.ISO_8859_1);
                each.sendResponseHeaders(made.status(), body.length);
                each.getResponseBody().write(body);
            }
        });
        server.start();
    }

    @AfterEach
    void close() {
        store.close();
        server.stop(0);
    }

    private CoordinatorException writing() {
        assertThat(store.read(List.of("snowflake/marks/3"), TIMEOUT).entries()).isEmpty();
        assertThat(store.read(List.of(META), TIMEOUT).entries()).isEmpty();
        return catchThrowableOfType(CoordinatorException.class, () -> store.compareAndSet(META, null, "id=1", TIMEOUT));
    }

    // it was taken for a login that had ended, each time, and a start waited for its whole startup-timeout
    @Test
    void missingRightToWriteIsPermanent() {
        answer("POST /nacos/v3/admin/cs/config", 403, "{\"code\":403,\"message\":\"authorization failed!\"}");

        for (int i = 0; i < 2; i++) {
            assertPermanent(
                    writing(),
                    "forbids user 'app' the namespace",
                    "Grant one of its roles the permission rw on snowflake:*:*");
        }
    }

    /** As after a restart with another key of tokens, when nothing that was sent before is known any more. */
    @Test
    void anEarlierLoginThatIsRefusedIsNotPermanent() {
        assertThat(store.read(List.of(META), TIMEOUT).entries()).isEmpty();
        answer("GET /nacos/v3/admin/cs/config", 403, "{\"code\":403,\"message\":\"token expired!\"}");

        CoordinatorException ended =
                catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of(META), TIMEOUT));
        CoordinatorException forbidden =
                catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of(META), TIMEOUT));

        assertThat(ended).hasMessageContaining("refuses an earlier login");
        assertThat(ended.permanent()).isFalse();
        assertPermanent(forbidden, "forbids user 'app' the namespace");
    }

    // a start that had waited for Nacos ended as soon as Nacos answered
    @Test
    void aUserWhomAServerThatHasJustStartedDoesNotKnowMayBeKnownLater() {
        answer("POST /nacos/v3/auth/user/login", 503, "starting");
        assertThatThrownBy(() -> store.read(List.of(META), TIMEOUT)).isInstanceOf(CoordinatorException.class);
        answer("POST /nacos/v3/auth/user/login", 403, "unknown user!");

        CoordinatorException refused =
                catchThrowableOfType(CoordinatorException.class, () -> store.read(List.of(META), TIMEOUT));

        assertThat(refused).hasMessageContaining("refuses user 'app': answers 403 (unknown user!)");
        assertThat(refused.permanent()).isFalse();
    }

    // the exception was one of the HTTP client, and showed it
    @Test
    void tokenThatCannotBeSentIsNotShown() {
        answer("POST /nacos/v3/auth/user/login", 200, "{\"accessToken\":\"s3cret\\n\",\"tokenTtl\":18000}");

        assertThatThrownBy(() -> store.read(List.of(META), TIMEOUT))
                .isInstanceOf(CoordinatorException.class)
                .hasMessageContaining("answers a login without an accessToken and a tokenTtl")
                .hasMessageNotContaining("s3cret");
    }

    // marks that were missing were taken for absent ones: a restore would have begun below them
    @Test
    void aListThatWasCutIsNotTakenForAllThereIs() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int cut;
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.putNextEntry(new ZipEntry("snowflake/marks:0"));
            zip.write("limit=1".getBytes(StandardCharsets.UTF_8));
            zip.closeEntry();
            cut = bytes.size();
            zip.putNextEntry(new ZipEntry(".metadata.yml"));
        }
        String whole = bytes.toString(StandardCharsets.ISO_8859_1);
        List<String> keys = IntStream.range(0, 1_024)
                .mapToObj(id -> "snowflake/marks/" + id)
                .toList();
        AtomicReference<Made> export = answers.get("GET /nacos/v3/admin/cs/config/export");

        export.set(new Made(200, whole));
        assertThat(store.read(keys, TIMEOUT).entries()).containsOnlyKeys(keys.get(0));

        for (int length : new int[] {cut, cut + 20}) {
            export.set(new Made(200, whole.substring(0, length)));
            assertThatThrownBy(() -> store.read(keys, TIMEOUT))
                    .as("%d", length)
                    .isInstanceOf(CoordinatorException.class)
                    .hasMessageContaining("ends too early");
        }
    }

    // it was not said what to check
    @Test
    void aRedirectionIsSaidToBeOfAnotherServer() {
        answer("GET /nacos/v3/admin/cs/config", 301, "");

        assertThatThrownBy(() -> store.read(List.of(META), TIMEOUT))
                .hasMessageContaining("answers 301 ()")
                .hasMessageContaining("Check http or https, host and port in snowflake.nacos.server-addr");
    }
}
