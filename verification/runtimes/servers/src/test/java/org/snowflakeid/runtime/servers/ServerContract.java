// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.id;
import static org.snowflakeid.runtime.RunningApplication.json;
import static org.snowflakeid.runtime.servers.Leftovers.awaitEqual;

import jakarta.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.snowflakeid.runtime.Launcher;
import org.snowflakeid.runtime.RuntimeContract;

/** What servers can do beside: servlets, sessions, and several applications that come and go. */
abstract class ServerContract extends RuntimeContract implements ServletContract {

    static final Path WAR = Path.of("target/application.war").toAbsolutePath();

    /** Soft references, as the JDK's caches of method handles hold them, end with the next collection and not with the last memory. */
    static final String NO_SOFT_REFERENCES = "-XX:SoftRefLRUPolicyMSPerMB=0";

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
    void givesASecondApplicationALeaseOfItsOwnAndLeavesNothingOfItBehind() throws Exception {
        Leftovers left = new Leftovers(application());
        List<String> threads = left.threads();
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
            awaitEqual("threads", () -> Leftovers.without(left.threads(), threads), List.of());
            // A leak of ours would add one with each deployment.
            awaitEqual("copies of our classes", left::loadedCopies, 1 + loadersKeptByTheServer());
            assertThat(id(application().get("/ids"))).isGreaterThan(before);
            // That thread has nothing to say, unless its classes are taken away under it.
            assertThat(application().log()).doesNotContain("snowflake-etcd-connection");
        }
    }

    // Another path each time: Open Liberty remembers which application answered a path, even with 404, and goes on to
    // ask that.
    private int statusOfSecond() throws Exception {
        return application().get("/second/ids/" + ++questions).statusCode();
    }
}
