// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.IdFormatException;
import org.snowflakeid.LeasedSnowflake;
import org.snowflakeid.SnowflakeException;
import org.snowflakeid.json.SnowflakeText;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Ids in requests, and answers when there are none: as strict as {@code snowflake-rest}, in the same words. */
class RequestTest {

    @Nested
    class WithMvc extends OnTheWeb {
        WithMvc() {
            super("servlet", "spring.mvc.problemdetails.enabled");
        }
    }

    @Nested
    class WithWebFlux extends OnTheWeb {
        WithWebFlux() {
            super("reactive", "spring.webflux.problemdetails.enabled");
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @ExtendWith(OutputCaptureExtension.class)
    abstract static class OnTheWeb {

        private final String type;
        private final String problemDetails;
        private @Nullable RunningApplication application;

        OnTheWeb(String kind, String problemDetails) {
            this.type = "spring.main.web-application-type=" + kind;
            this.problemDetails = problemDetails;
        }

        private RunningApplication application() {
            if (application == null) {
                application = RunningApplication.start(type);
            }
            return application;
        }

        /** In place of the one that other tests share: the end of one ends what Netty has for both. */
        private RunningApplication another(String... settings) {
            stop();
            String[] all = Arrays.copyOf(settings, settings.length + 1);
            all[settings.length] = type;
            return RunningApplication.start(all);
        }

        @AfterAll
        void stop() {
            if (application != null) {
                application.close();
                application = null;
            }
        }

        private static void assertProblem(HttpResponse<String> answer, int status, String title, String detail) {
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
            assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
            assertThat(answer.body())
                    .contains("\"title\":\"" + title + "\"", "\"status\":" + status, "\"detail\":\"" + detail);
        }

        private static void assertUnavailable(HttpResponse<String> answer) {
            assertProblem(answer, 503, "Service Unavailable", "No id can be made now. Try again later.\"");
            assertThat(answer.headers().firstValue("Retry-After")).contains("1");
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "/orders/path/911852594806915072         | got 911852594806915072",
                    "/orders/path/0                          | got 0",
                    "/orders/hex/0ca78d1a90fc0000            | got 911852594806915072",
                    "/orders/query                           | got null 7 null",
                    "/orders/query?id=5&from=8               | got 5 8 null",
                    "/orders/any?id=5&id=6                   | got [5, 6] 0 null",
                    "/orders/any?id=5,6&other=1,2&maybe=3    | got [5, 6] 2 3",
                    "/orders/form?id=5&parent=6              | got 5 6",
                    "/orders/form?id=5                       | got 5 null",
                    "/orders/plain/+5                        | got 5"
                })
        void passesIds(String path, String answer) throws Exception {
            assertThat(application().get(path).body()).isEqualTo(answer);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "/path/abc",
                    "/path/1e3",
                    "/path/+5",
                    "/path/-5",
                    "/path/05",
                    "/path/0x10",
                    "/path/1.0",
                    "/path/9223372036854775808",
                    "/path/%205",
                    "/path/%D9%A1",
                    "/path/%F0%9D%9F%8F",
                    "/hex/5",
                    "/hex/911852594806915072",
                    "/hex/0CA78D1A90FC0000",
                    "/query?id=abc",
                    "/query?id=",
                    "/query?id=%205",
                    "/query?id=%20",
                    "/query?from=+5",
                    "/any?id=1&id=%2B2",
                    "/any?id=%2B2",
                    "/any?id=1,%202",
                    "/any?id=",
                    "/any?other=%2B2",
                    "/any?other=1,%202",
                    "/any?other=1&other=x",
                    "/any?maybe=%2B2",
                    "/any?maybe="
                })
        void answersAnythingElseBy400(String path) throws Exception {
            HttpResponse<String> answer = application().get("/orders" + path);

            assertProblem(answer, 400, "Bad Request", "");
            assertThat(answer.body()).contains(" is not an id in the format ");
        }

        @Test
        void tellsWhatIsWrong() throws Exception {
            assertProblem(
                    application().get("/orders/path/1e3"),
                    400,
                    "Bad Request",
                    "'1e3' is not an id in the format decimal: 'e' at index 1 is none of 0123456789\"");
        }

        @Test
        void refusesAHeader() throws Exception {
            assertThat(application().get("/orders/query", "Order", "12").body()).isEqualTo("got null 7 12");
            assertProblem(application().get("/orders/query", "Order", "+12"), 400, "Bad Request", "'+12' is not an id");
        }

        @ParameterizedTest
        @ValueSource(strings = {"id=%2B5", "id=abc", "id=5&parent=%206", "id=5&parent=%2B6", "id=5&parent=0x10"})
        void refusesAWrongIdInAForm(String form) throws Exception {
            assertThat(application().get("/orders/form?" + form).statusCode()).isEqualTo(400);
        }

        @Test
        void readsAndWritesIdsInBodies() throws Exception {
            HttpResponse<String> answer = application().postJson("/orders/body", "{\"id\":\"5\",\"parent\":null}");

            assertThat(answer.body()).isEqualTo("{\"id\":\"5\",\"parent\":null}");
        }

        @ParameterizedTest
        @ValueSource(strings = {"\"abc\"", "\"+5\"", "\" 5\"", "\"\"", "5", "null", "[]"})
        void answersAWrongIdInABodyBy400(String value) throws Exception {
            HttpResponse<String> answer = application().postJson("/orders/body", "{\"id\":" + value + "}");

            assertProblem(answer, 400, "Bad Request", "");
            assertThat(answer.body()).contains(" is not an id");
        }

        // Spring Boot 3 did not give Jackson our module, and 5 was read
        @Test
        void readsATypeOfItsOwnForAnIdFromTextOnly() throws Exception {
            assertThat(application().postJson("/orders/own", "\"5\"").body()).isEqualTo("\"5\"");
            assertProblem(application().postJson("/orders/own", "5"), 400, "Bad Request", "");
        }

        @Test
        void answers503WhenNoIdCanBeMadeAlsoAtTheCommit(CapturedOutput output) throws Exception {
            try (RunningApplication closed = another()) {
                // Of the column that is filled at the flush.
                closed.context()
                        .getBean("snowflake.orders", LeasedSnowflake.class)
                        .close();
                assertUnavailable(closed.post("/purchases"));
                closed.context()
                        .getBean("snowflake.default", LeasedSnowflake.class)
                        .close();
                assertUnavailable(closed.post("/purchases"));
                assertUnavailable(closed.post("/ids"));
            }
            assertThat(output).doesNotContain("answered 503");
        }

        @Test
        void looksForTheCause() throws Exception {
            HttpResponse<String> answer = application().get("/orders/wrapped");

            assertUnavailable(answer);
            assertThat(answer.body()).doesNotContain("etcd");
        }

        // on WebFlux it was 500
        @Test
        void answers503InAFunctionalEndpointToo() throws Exception {
            HttpResponse<String> answer = application().get("/route");

            assertUnavailable(answer);
            assertThat(answer.body()).doesNotContain("etcd");
        }

        @Test
        void leavesTheStatusOfAnExceptionOfTheApplication() throws Exception {
            assertThat(application().get("/orders/gone").statusCode()).isEqualTo(410);
            assertThat(application().get("/orders/sold").statusCode()).isEqualTo(409);
        }

        @Test
        void aTextThatIsNotOfTheRequestIsNoBadRequest() throws Exception {
            assertThat(application().get("/orders/own-fault").statusCode()).isEqualTo(500);
        }

        @Test
        void tellsWhatIsWrongAlsoWhereSpringsProblemDetailsAreOn() throws Exception {
            try (RunningApplication withDetails = another(problemDetails + "=true")) {
                assertProblem(
                        withDetails.get("/orders/path/+5"), 400, "Bad Request", "'+5' is not an id in the format");
                assertProblem(withDetails.get("/orders/plain/x"), 400, "Bad Request", "");
                assertUnavailable(withDetails.get("/orders/wrapped"));
            }
        }

        // ids were numbers, and any text was taken
        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "Returning  | $Returning#ids[0 args], which is a method, and Spring writes what it returns without a look",
                    "TakingText | parameter 0 of org.snowflakeid.verification.spring.RequestTest$TakingText#order[1 args], which is neither a long",
                    "TakingABody | parameter 0 of org.snowflakeid.verification.spring.RequestTest$TakingABody#order[1 args], which is a body"
                })
        void refusesAMarkWhereNothingLooksForIt(String handler, String message) {
            assertThatThrownBy(() -> another("wrong=" + handler).close())
                    .hasStackTraceContaining("@SnowflakeText stands on ")
                    .hasStackTraceContaining(message);
        }

        @Test
        void leavesBothAnswersToTheApplication() throws Exception {
            try (RunningApplication own = another("own-answers=true")) {
                assertThat(own.get("/orders/path/+5").body()).isEqualTo("bad");
                assertThat(own.get("/orders/wrapped").body()).isEqualTo("none");
            }
        }
    }

    @RestController
    @ConditionalOnProperty(name = "wrong", havingValue = "Returning")
    static class Returning {

        @GetMapping("/wrong")
        @SnowflakeText
        List<Long> ids() {
            return List.of(5L);
        }
    }

    @RestController
    @ConditionalOnProperty(name = "wrong", havingValue = "TakingText")
    static class TakingText {

        @GetMapping("/wrong/{id}")
        String order(@PathVariable("id") @SnowflakeText String id) {
            return id;
        }
    }

    @RestController
    @ConditionalOnProperty(name = "wrong", havingValue = "TakingABody")
    static class TakingABody {

        @PostMapping("/wrong")
        String order(@RequestBody @SnowflakeText List<Long> ids) {
            return "got " + ids;
        }
    }

    @RestControllerAdvice
    @ConditionalOnProperty("own-answers")
    static class OwnAnswers {

        @ExceptionHandler
        String bad(IdFormatException failure) {
            return "bad";
        }

        @ExceptionHandler
        String none(SnowflakeException failure) {
            return "none";
        }
    }
}
