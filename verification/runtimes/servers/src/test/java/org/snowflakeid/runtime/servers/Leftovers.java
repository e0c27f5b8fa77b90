// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.snowflakeid.runtime.RunningApplication;

/** What an application that has ended may have left in its server: threads and classes. */
record Leftovers(RunningApplication server) {

    private static final Pattern OUR_THREAD = Pattern.compile(
            "^\"([^\"]*(?:snowflake|grpc|netty|globalEventExecutor)[^\"]*)\"",
            Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);

    interface Question<T> {
        T ask() throws Exception;
    }

    static <T> void awaitEqual(String what, Question<T> question, T wanted) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        T answer = question.ask();
        while (!answer.equals(wanted) && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(500);
            answer = question.ask();
        }
        assertThat(answer).as(what).isEqualTo(wanted);
    }

    /** Names without the numbers that count starts. */
    List<String> threads() throws Exception {
        return OUR_THREAD
                .matcher(server.jcmd("Thread.print"))
                .results()
                .map(thread -> thread.group(1).replaceAll("\\d+", "n"))
                .sorted()
                .toList();
    }

    /** What is left when each of the others took away one like it: threads of pools may have ended meanwhile. */
    static List<String> without(List<String> threads, List<String> others) {
        List<String> left = new ArrayList<>(threads);
        others.forEach(left::remove);
        return left;
    }

    /** By how many class loaders our classes are loaded, of those that can still be reached. */
    long loadedCopies() throws Exception {
        String ignored = server.jcmd("GC.run");
        return server.jcmd("VM.class_hierarchy", "org.snowflakeid.LeasedSnowflake")
                .lines()
                .filter(line -> line.contains("org.snowflakeid.LeasedSnowflake/"))
                .count();
    }
}
