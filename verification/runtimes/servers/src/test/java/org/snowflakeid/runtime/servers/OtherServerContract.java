// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.id;
import static org.snowflakeid.runtime.servers.Leftovers.awaitEqual;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.snowflakeid.runtime.ApplicationContract;
import org.snowflakeid.runtime.Launcher;

/** The application under test on a server that need not have MicroProfile Health, deployed again and again. */
abstract class OtherServerContract extends ApplicationContract implements ServletContract {

    static final int REDEPLOYMENTS = 10;

    private final Deployment deployment;
    private final Launcher another;

    OtherServerContract(String server, Path archive, Function<Deployment, Launcher> launcher) {
        this(
                server,
                Deployment.of(archive, server + "-deployments"),
                launcher,
                launcher.apply(Deployment.of(archive, server + "-refused-deployments")));
    }

    private OtherServerContract(
            String server, Deployment deployment, Function<Deployment, Launcher> launcher, Launcher another) {
        super(server, launcher.apply(deployment));
        this.deployment = deployment;
        this.another = another;
    }

    @Override
    protected Launcher another() {
        return another;
    }

    /** How many class loaders of ended applications the server may hold on to by itself. */
    long loadersKeptByTheServer() {
        return 0;
    }

    @Override
    protected void awaitReady() throws Exception {
        HttpResponse<String> ignored = application().await("/worker", answer -> answer.statusCode() == 200);
        // WildFly answers while the second claim goes on.
        awaitEqual("owners", this::owners, List.of("/snowflake/orders/workers", "/snowflake/workers"));
    }

    @Test
    void refusesWhatIsNoId() throws Exception {
        assertThat(application().get("/ids/ten").statusCode()).isEqualTo(400);
    }

    @Test
    void hasThreadsOfNormalPriority() throws Exception {
        assertThat(Pattern.compile("^\"snowflake-[^\"]*\".* prio=(\\d+)", Pattern.MULTILINE)
                        .matcher(application().jcmd("Thread.print"))
                        .results()
                        .map(thread -> thread.group(1)))
                .isNotEmpty()
                .containsOnly(Integer.toString(Thread.NORM_PRIORITY));
    }

    @Test
    void leavesNothingBehindWhenItIsDeployedTenTimes() throws Exception {
        Leftovers left = new Leftovers(application());
        List<String> threads = left.threads();
        long before = id(application().get("/ids"));

        for (int again = 1; again <= REDEPLOYMENTS; again++) {
            deployment.undeploy();
            awaitEqual("owners", this::owners, List.of());

            deployment.deploy();
            awaitReady();
            assertThatObserversAreTold();
            long id = id(application().get("/ids"));
            assertThat(id).isGreaterThan(before);
            before = id;
        }

        awaitEqual("threads", () -> Leftovers.without(left.threads(), threads), List.of());
        // A leak of ours would add one with each deployment.
        long most = 1 + loadersKeptByTheServer();
        awaitEqual("copies of our classes", () -> Math.max(most, loadedCopies(left)), most);
    }

    /** Asked after another bean was written: until then the JDK keeps one class that was written and collected since. */
    private long loadedCopies(Leftovers left) throws Exception {
        assertThat(application().get("/session").statusCode()).isEqualTo(200);
        return left.loadedCopies();
    }
}
