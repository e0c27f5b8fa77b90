// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.id;
import static org.snowflakeid.runtime.RunningApplication.json;

import jakarta.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.snowflakeid.runtime.Launcher;
import org.snowflakeid.runtime.RuntimeContract;

/** What servers can do beside: servlets, sessions, and several applications that come and go. */
abstract class ServerContract extends RuntimeContract {

    static final Path WAR = Path.of("target/application.war").toAbsolutePath();

    /** Soft references, as the JDK's caches of method handles hold them, end with the next collection and not with the last memory. */
    static final String NO_SOFT_REFERENCES = "-XX:SoftRefLRUPolicyMSPerMB=0";

    private static final Pattern OUR_THREAD = Pattern.compile(
            "^\"([^\"]*(?:snowflake|grpc|netty|globalEventExecutor)[^\"]*)\"",
            Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);

    private final Path dropins;
    private int questions;

    /** @param dropins the server deploys archives that are put here, each at the path of its name */
    ServerContract(String runtime, Launcher launcher, Path dropins) {
        super(runtime, launcher);
        this.dropins = dropins;
    }

    /** Makes it an empty folder. */
    static void clear(Path dropins) throws IOException {
        Files.createDirectories(dropins);
        Files.deleteIfExists(dropins.resolve("second.war"));
    }

    /** How many class loaders of ended applications the server holds on to by itself, however many have ended. */
    long loadersKeptByTheServer() {
        return 0;
    }

    @Test
    void injectsIntoServletsAndPassivatesBeansOfASessionWithTheirGenerator() throws Exception {
        JsonObject answer = json(application().get("/session"));

        List<Long> ids = List.of(
                Long.valueOf(answer.getString("servlet")),
                Long.valueOf(answer.getString("bean")),
                Long.valueOf(answer.getString("activated")));
        assertThat(ids).isSorted().doesNotHaveDuplicates();
        assertThat(answer.getInt("issued")).isEqualTo(1);
        assertThat(answer.getBoolean("sameGenerator")).isTrue();
    }

    @Test
    void givesASecondApplicationALeaseOfItsOwnAndLeavesNothingOfItBehind() throws Exception {
        List<String> threads = ourThreads();
        int first = json(application().get("/worker")).getInt("workerId");

        for (int deployment = 1; deployment <= 2; deployment++) {
            long before = id(application().get("/ids"));
            Path partial = Files.copy(WAR, dropins.resolve("second.part"));
            Files.move(partial, dropins.resolve("second.war"));
            awaitEqual("status", this::statusOfSecond, 200);
            JsonObject second = json(application().get("/second/worker"));
            assertThat(second.getInt("workerId")).isNotEqualTo(first);
            assertThat(id(application().get("/second/ids"))).isGreaterThan(before);
            assertThat(owners())
                    .containsExactlyInAnyOrder(
                            "/snowflake/workers",
                            "/snowflake/workers",
                            "/snowflake/orders/workers",
                            "/snowflake/orders/workers");

            Files.delete(dropins.resolve("second.war"));
            awaitEqual("owners", () -> owners().size(), 2);
            awaitEqual("threads", () -> without(ourThreads(), threads), List.of());
            // A leak of ours would add one with each deployment.
            awaitEqual("copies of our classes", this::loadedCopies, 1 + loadersKeptByTheServer());
            assertThat(id(application().get("/ids"))).isGreaterThan(before);
            // That thread has nothing to say, unless its classes are taken away under it.
            assertThat(application().log()).doesNotContain("snowflake-etcd-connection");
        }
    }

    private interface Question<T> {
        T ask() throws Exception;
    }

    private static <T> void awaitEqual(String what, Question<T> question, T wanted) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        T answer = question.ask();
        while (!answer.equals(wanted) && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(500);
            answer = question.ask();
        }
        assertThat(answer).as(what).isEqualTo(wanted);
    }

    // Another path each time: Open Liberty remembers which application answered a path, even with 404, and goes on to
    // ask that.
    private int statusOfSecond() throws Exception {
        return application().get("/second/ids/" + ++questions).statusCode();
    }

    /** Names without the numbers that count starts. */
    private List<String> ourThreads() throws Exception {
        return OUR_THREAD
                .matcher(application().jcmd("Thread.print"))
                .results()
                .map(thread -> thread.group(1).replaceAll("\\d+", "n"))
                .sorted()
                .toList();
    }

    /** What is left when each of the others took away one like it: threads of pools may have ended meanwhile. */
    private static List<String> without(List<String> threads, List<String> others) {
        List<String> left = new ArrayList<>(threads);
        others.forEach(left::remove);
        return left;
    }

    /** By how many class loaders, of those that can still be reached. */
    private long loadedCopies() throws Exception {
        String ignored = application().jcmd("GC.run");
        return application()
                .jcmd("VM.class_hierarchy", "org.snowflakeid.LeasedSnowflake")
                .lines()
                .filter(line -> line.contains("org.snowflakeid.LeasedSnowflake/"))
                .count();
    }
}
