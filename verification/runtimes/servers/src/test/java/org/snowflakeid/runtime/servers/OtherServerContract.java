// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.runtime.RunningApplication.id;
import static org.snowflakeid.runtime.RunningApplication.json;
import static org.snowflakeid.runtime.servers.Leftovers.awaitEqual;

import jakarta.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.snowflakeid.runtime.Launcher;
import org.snowflakeid.runtime.RunningApplication;
import org.snowflakeid.testservers.EtcdServer;

/**
 * The application under test on a server that need not have MicroProfile Health, with etcd as its coordinator. Its archive is put into a
 * folder that the server watches, as {@code application.war}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OtherServerContract {

    static final int REDEPLOYMENTS = 10;

    private final String server;
    private final Path deployments;

    @SuppressWarnings("NullAway.Init")
    private EtcdServer etcd;

    @SuppressWarnings("NullAway.Init")
    private RunningApplication application;

    OtherServerContract(String server) {
        this.server = server;
        this.deployments = Path.of("target", server + "-deployments").toAbsolutePath();
    }

    /** How the server is started that deploys what is put into this folder. */
    abstract Launcher launcher(Path deployments);

    /** What is deployed. */
    Path archive() {
        return ServerContract.WAR;
    }

    /** What the application is told beside the address of etcd, as environment variables. */
    Map<String, String> settings() {
        return Map.of();
    }

    /** How many class loaders of ended applications the server may hold on to by itself. */
    long loadersKeptByTheServer() {
        return 0;
    }

    /** Copies a folder with all that is in it. */
    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                Path copy = to.resolve(from.relativize(each).toString());
                if (Files.isDirectory(each)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(each, copy, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }

    /** Replaces what must be in a file. */
    static void change(Path file, String text, String replacement) throws IOException {
        String content = Files.readString(file);
        assertThat(content).as(file.toString()).contains(text);
        Files.writeString(file, content.replace(text, replacement));
    }

    @BeforeAll
    void answersNoRequestBeforeItHasClaimed() throws Exception {
        etcd = EtcdServer.start();
        etcd.pause();
        long start = System.nanoTime();
        deployTo(deployments);
        application = RunningApplication.launch(launcher(deployments), server, environment());
        awaitLog("still without a worker id");
        long waiting = System.nanoTime();
        assertThat(application.answers("/application/worker")).isFalse();

        etcd.resume();
        awaitDeployed();
        awaitEqual("owners", this::owners, List.of("/snowflake/orders/workers", "/snowflake/workers"));
        System.out.printf(
                "%s: reached its claim after %.1f s, ready %.1f s after that was possible; %d MiB%n",
                server, (waiting - start) / 1e9, (System.nanoTime() - waiting) / 1e9, application.peakMemory());
    }

    @AfterAll
    void freesItsWorkerIdsWhenTerminated() throws Exception {
        try {
            assertThat(application.terminate()).isEqualTo(128 + 15);
            assertThat(owners()).isEmpty();
        } finally {
            application.close();
            etcd.close();
        }
    }

    private Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>(settings());
        environment.put("SNOWFLAKE_ETCD_ENDPOINTS", etcd.endpoint());
        return environment;
    }

    /** Into an empty folder. */
    private void deployTo(Path folder) throws IOException {
        Files.createDirectories(folder);
        try (Stream<Path> left = Files.list(folder)) {
            for (Path each : (Iterable<Path>) left.filter(Files::isRegularFile)::iterator) {
                Files.delete(each);
            }
        }
        deploy(folder);
    }

    /** At once, so that the server sees no part of it. */
    private void deploy(Path folder) throws IOException {
        Path partial =
                Files.copy(archive(), folder.resolveSibling(server + ".part"), StandardCopyOption.REPLACE_EXISTING);
        Files.move(partial, folder.resolve("application.war"), StandardCopyOption.ATOMIC_MOVE);
    }

    private void awaitDeployed() throws Exception {
        HttpResponse<String> ignored = application.await("/application/worker", answer -> answer.statusCode() == 200);
    }

    private void awaitLog(String text) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        while (!application.log().contains(text)) {
            assertThat(application.isRunning()).as(application.log()).isTrue();
            assertThat(System.nanoTime())
                    .as(() -> "no \"" + text + "\" in the log of " + server)
                    .isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** Below which parents there are owners. */
    private List<String> owners() {
        return etcd.etcdctl("get", "--prefix", "/snowflake/", "--keys-only")
                .lines()
                .filter(key -> key.matches(".*/workers/\\d+"))
                .map(key -> key.substring(0, key.lastIndexOf('/')))
                .toList();
    }

    @Test
    void injectsOneGeneratorAtEachKindOfInjectionPoint() throws Exception {
        JsonObject ids = json(application.get("/application/injection-points"));

        assertThat(ids.keySet()).containsExactly("field", "constructor", "method", "instance", "lookup");
        assertThat(ids.keySet().stream().map(point -> Long.valueOf(ids.getString(point))))
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @Test
    void injectsIntoServletsAndPassivatesBeansOfASessionWithTheirGenerator() throws Exception {
        JsonObject answer = json(application.get("/application/session"));

        List<Long> ids = List.of(
                Long.valueOf(answer.getString("servlet")),
                Long.valueOf(answer.getString("bean")),
                Long.valueOf(answer.getString("activated")));
        assertThat(ids).isSorted().doesNotHaveDuplicates();
        assertThat(answer.getBoolean("sameGenerator")).isTrue();
    }

    @Test
    void hasASecondGeneratorByNameWithItsOwnNamespaceAndLayout() throws Exception {
        JsonObject order = json(application.get("/application/orders/ids"));

        assertThat(order.getString("namespace")).isEqualTo("snowflake/orders");
        assertThat(etcd.etcdctl("get", "/snowflake/orders/meta")).contains("worker-id-bits=2 sequence-bits=20");
    }

    @Test
    void writesAndReadsIdsAsText() throws Exception {
        HttpResponse<String> issued = application.get("/application/ids");

        assertThat(issued.body()).contains("\"" + id(issued) + "\"");
        assertThat(json(application.get("/application/ids/" + id(issued))).getInt("workerId"))
                .isEqualTo(json(application.get("/application/worker")).getInt("workerId"));
        assertThat(application.get("/application/ids/ten").statusCode()).isEqualTo(400);
    }

    /** By the first event already, which creates the bean of the observer. */
    @Test
    void tellsObserversThatNeedAResourceOfTheirServer() throws Exception {
        assertThat(told()).contains("default Claimed at the warehouse", "orders Claimed at the warehouse");
    }

    /** What such an observer heard, once it was told of both claims. */
    private String told() throws Exception {
        return application
                .await(
                        "/application/resource-events",
                        heard -> heard.body().contains("default Claimed")
                                && heard.body().contains("orders Claimed"))
                .body();
    }

    @Test
    void hasThreadsOfNormalPriority() throws Exception {
        assertThat(Pattern.compile("^\"snowflake-[^\"]*\".* prio=(\\d+)", Pattern.MULTILINE)
                        .matcher(application.jcmd("Thread.print"))
                        .results()
                        .map(thread -> thread.group(1)))
                .isNotEmpty()
                .containsOnly(Integer.toString(Thread.NORM_PRIORITY));
    }

    @Test
    void leavesNothingBehindWhenItIsDeployedTenTimes() throws Exception {
        Leftovers left = new Leftovers(application);
        List<String> threads = left.threads();
        long before = id(application.get("/application/ids"));

        for (int deployment = 1; deployment <= REDEPLOYMENTS; deployment++) {
            // WildFly writes such a file, and goes by it alone.
            Files.deleteIfExists(deployments.resolve("application.war.deployed"));
            Files.delete(deployments.resolve("application.war"));
            awaitEqual("owners", this::owners, List.of());

            deploy(deployments);
            awaitDeployed();
            // WildFly answers while the second claim goes on.
            awaitEqual("owners", this::owners, List.of("/snowflake/orders/workers", "/snowflake/workers"));
            assertThat(told()).contains("default Claimed at the warehouse", "orders Claimed at the warehouse");
            long id = id(application.get("/application/ids"));
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
        assertThat(application.get("/application/session").statusCode()).isEqualTo(200);
        return left.loadedCopies();
    }

    @Test
    void doesNotDeployWithAWrongSettingAndSaysHowToMendIt() throws Exception {
        Path folder = Path.of("target", server + "-refused-deployments").toAbsolutePath();
        deployTo(folder);
        Map<String, String> wrong = environment();
        wrong.put("SNOWFLAKE_WINDOW", "a minute");
        try (RunningApplication refused = RunningApplication.launch(launcher(folder), server + "-refused", wrong)) {
            String refusal = "snowflake '(default|orders)': snowflake.window=a minute is not .*PT60S";
            refused.awaitEndOrLog(refusal);
            assertThat(refused.log()).containsPattern(refusal);
            // Servers go on without the application.
            TimeUnit.SECONDS.sleep(1);
            assertThat(refused.answers("/application/worker")).isFalse();
        }
    }
}
