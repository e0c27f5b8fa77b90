// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.id;
import static org.snowflakeid.runtime.RunningApplication.json;

import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonString;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.htmlunit.WebClient;
import org.htmlunit.html.HtmlElement;
import org.htmlunit.html.HtmlPage;
import org.htmlunit.html.HtmlTableRow;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The HTTP interface of an example, which is the same on each runtime. The coordinator is a folder. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class HttpInterfaceContract {

    private final Launcher launcher;

    @SuppressWarnings("NullAway.Init")
    private RunningApplication example;

    protected HttpInterfaceContract(Launcher launcher) {
        this.launcher = launcher;
    }

    /** As its documented command does, with one worker id to know it by. */
    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        example = RunningApplication.start(
                launcher,
                "http-interface",
                Map.of("SNOWFLAKE_FILE_DIRECTORY", directory.toString(), "SNOWFLAKE_WORKER_IDS", "7"));
    }

    @AfterAll
    void endsWhenTerminated() throws Exception {
        if (example == null) {
            return;
        }
        try (RunningApplication running = example) {
            assertThat(running.terminate()).isEqualTo(128 + 15);
        }
    }

    protected final RunningApplication example() {
        return example;
    }

    @Test
    void issuesIncreasingIdsAsStrings() throws Exception {
        HttpResponse<String> first = example.get("/ids");
        HttpResponse<String> second = example.get("/ids");

        assertThat(first.headers().allValues("Cache-Control")).containsExactly("no-store");
        assertThat(json(first)).containsOnlyKeys("id");
        assertThat(id(second)).isGreaterThan(id(first));
    }

    @Test
    void issuesManyAtOnce() throws Exception {
        HttpResponse<String> answer = example.get("/ids?count=10000");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().allValues("Cache-Control")).containsExactly("no-store");
        JsonArray batch = json(answer).getJsonArray("ids");
        List<Long> ids = batch.getValuesAs(JsonString.class).stream()
                .map(id -> Long.valueOf(id.getString()))
                .toList();
        assertThat(ids).hasSize(10_000).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void explainsAnId() throws Exception {
        String id = json(example.get("/ids")).getString("id");

        JsonObject parts = json(example.get("/ids/" + id));

        assertThat(parts).containsOnlyKeys("id", "timestamp", "workerId", "sequence");
        assertThat(parts.getString("id")).isEqualTo(id);
        assertThat(Duration.between(Instant.parse(parts.getString("timestamp")), Instant.now())
                        .abs())
                .isLessThan(Duration.ofMinutes(1));
        assertThat(parts.getInt("workerId")).isEqualTo(7);
        assertThat(parts.getInt("sequence")).isBetween(0, 4095);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/ids?count=0",
                "/ids?count=-1",
                "/ids?count=10001",
                "/ids?count=99999999999999999999",
                "/ids?count=ten",
                "/ids?count=",
                "/ids/ten",
                "/ids/-1",
                "/ids/1.5",
                "/ids/9223372036854775808",
                "/ids/1000000000000000000000000000000000000000000000000000000000000000000000000000000",
                "/ids/%D9%A1"
            })
    void refusesBadInput(String path) throws Exception {
        HttpResponse<String> answer = example.get(path);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(json(answer)).containsOnlyKeys("error");
        assertThat(json(answer).getString("error")).contains(" is not ").hasSizeLessThan(150);
    }

    /** To be overridden where the server refuses such a path itself, in its own words. */
    @Test
    protected void refusesAPathWithAZeroByte() throws Exception {
        refusesBadInput("/ids/%00");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/id", "/ids/1/2", "/orders/1/2"})
    void doesNotKnowOtherPaths(String path) throws Exception {
        assertThat(example.get(path).statusCode()).isEqualTo(404);
    }

    @Test
    void takesAnOrderAndForgetsIt() throws Exception {
        HttpResponse<String> created = example.send("POST", "/orders", "{\"item\":\"tea, \\\"green\\\" \u8336\"}");
        assertThat(created.statusCode()).isEqualTo(201);
        String id = json(created).getString("id");
        String order = "/orders/" + id;

        assertThat(json(created)).containsOnlyKeys("id", "item");
        assertThat(json(created).getString("item")).isEqualTo("tea, \"green\" \u8336");
        assertThat(created.headers().firstValue("Location"))
                .hasValue(example.address(order).toString());
        assertThat(json(example.get("/ids/" + id)).getInt("workerId")).isEqualTo(7);
        assertThat(json(example.get(order))).isEqualTo(json(created));
        assertThat(example.get("/orders").body()).contains("{\"id\":\"" + id + "\",");
        assertThat(example.send("DELETE", order, "").statusCode()).isEqualTo(204);
        assertThat(example.send("DELETE", order, "").statusCode()).isEqualTo(404);
        assertThat(example.get(order).statusCode()).isEqualTo(404);
        assertThat(json(example.get(order)).getString("error")).contains(id);
        assertThat(example.get("/orders").body()).doesNotContain(id);
    }

    @Test
    void listsTheLatestOrderFirst() throws Exception {
        String first =
                json(example.send("POST", "/orders", "{\"item\":\"tea\"}")).getString("id");
        String second =
                json(example.send("POST", "/orders", "{\"item\":\"tea\"}")).getString("id");

        String list = example.get("/orders").body();

        assertThat(Long.parseLong(second)).isGreaterThan(Long.parseLong(first));
        assertThat(list.indexOf(second)).isBetween(0, list.indexOf(first));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "tea", "[]", "{}", "{\"item\":5}", "{\"item\":null}", "{\"item\":\" \"}", "{\"item\":\"tea\""
            })
    void takesNoOrderThatItDoesNotUnderstand(String body) throws Exception {
        refusesOrder(body);
    }

    @Test
    void takesNoOrderOfALongText() throws Exception {
        refusesOrder("{\"item\":\"" + "x".repeat(101) + "\"}");
    }

    private void refusesOrder(String body) throws Exception {
        HttpResponse<String> answer = example.send("POST", "/orders", body);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(json(answer)).containsOnlyKeys("error");
        assertThat(json(answer).getString("error")).contains(" is not ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ten", "-1", "+1", "01", "1e3", "1.0", "9223372036854775808"})
    void knowsNoOrderByWhatIsNoId(String id) throws Exception {
        assertThat(example.get("/orders/" + id).statusCode()).isEqualTo(400);
        assertThat(example.send("DELETE", "/orders/" + id, "").statusCode()).isEqualTo(400);
    }

    @Test
    void showsOrdersOnAPageThatCanMakeAndDeleteThem() throws Exception {
        try (WebClient browser = new WebClient()) {
            browser.getOptions().setFetchPolyfillEnabled(true);
            HtmlPage page = browser.getPage(example.address("/").toURL());
            page.getHtmlElementById("item").type("a cup of <b>tea</b>");
            HtmlPage unused = page.<HtmlElement>querySelector("form button").click();
            HtmlTableRow row = rowOf(browser, page, "a cup of <b>tea</b>").orElseThrow();
            String id = row.getCell(0).getTextContent();

            assertThat(page.getElementById("worker").getTextContent()).startsWith("Worker id 7, leased from file");
            assertThat(json(example.get("/orders/" + id)).getString("item")).isEqualTo("a cup of <b>tea</b>");
            unused = row.<HtmlElement>querySelector("button").click();
            assertThat(rowOf(browser, page, "a cup of <b>tea</b>")).isEmpty();
            assertThat(example.get("/orders/" + id).statusCode()).isEqualTo(404);
            assertThat(page.getElementById("trouble").getTextContent()).isEmpty();
        }
    }

    /** Once the page has asked what it wanted to. */
    private static Optional<HtmlTableRow> rowOf(WebClient browser, HtmlPage page, String item) {
        assertThat(browser.waitForBackgroundJavaScript(60_000)).isZero();
        return page.<HtmlTableRow>getByXPath("//tbody/tr").stream()
                .filter(row -> row.getCell(1).getTextContent().equals(item))
                .findFirst();
    }

    @Test
    void tellsItsWorkerId() throws Exception {
        JsonObject worker = json(example.get("/worker"));

        assertThat(worker).containsOnlyKeys("workerId", "coordinator", "namespace", "state", "reservedUntil");
        assertThat(worker.getInt("workerId")).isEqualTo(7);
        assertThat(worker.getString("coordinator")).isEqualTo("file");
        assertThat(worker.getString("namespace")).isEqualTo("snowflake");
        assertThat(worker.getString("state")).isEqualTo("ACTIVE");
        assertThat(Instant.parse(worker.getString("reservedUntil"))).isAfter(Instant.now());
    }

    @Test
    void isReadyWithTheStateOfItsGenerator() throws Exception {
        HttpResponse<String> answer = example.get("/health/ready");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(json(answer).getString("status")).isEqualTo("UP");
        JsonObject check = json(answer).getJsonArray("checks").getValuesAs(JsonObject.class).stream()
                .filter(each -> each.getString("name").equals("snowflake"))
                .findFirst()
                .orElseThrow();
        assertThat(check.getJsonObject("data").getString("default.state")).isEqualTo("ACTIVE");
    }
}
