// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.unique;
import static org.snowflakeid.tck.Node.unknown;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.time;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.FreePorts;
import org.snowflakeid.testservers.TcpProxy;
import org.snowflakeid.testservers.kubernetes.MockApiServer;
import org.snowflakeid.testservers.kubernetes.MockApiServer.Fault;

/** Servers that are frozen, gone or wrong; answers that are lost, and refusals. */
class KubernetesFaultsTest {
    private final MockApiServer server = MockApiServer.startEncrypted();
    private final TcpProxy proxy = TcpProxy.to(server.port());
    private final String namespace = Node.freshNamespace();
    private final Map<String, String> settings = server.settings();
    private final Map<String, String> settingsByProxy = at("https://127.0.0.1:" + proxy.port());
    private final Node node = new KubernetesNode(namespace, settingsByProxy);
    private final Node other = new KubernetesNode(namespace, settings);
    private Stored meta;

    private Map<String, String> at(String url) {
        Map<String, String> there = new HashMap<>(settings);
        there.put("snowflake.kubernetes.url", url);
        return there;
    }

    @BeforeEach
    void createMeta() {
        meta = node.createMeta();
    }

    @AfterEach
    void close() {
        proxy.pass();
        node.close();
        other.close();
        proxy.close();
        server.close();
    }

    private CasResult claim(Duration timeout) {
        return node.coordinator.claim(3, null, "limit=1 token=x", "o token=x", false, meta, timeout);
    }

    private void assertClaimed() {
        assertThat(other.slot(3)).isEqualTo(new Slot(3, new Stored("limit=1 token=x", 0), "o token=x"));
    }

    private long count(String request) {
        return server.requests().stream().filter(request::equals).count();
    }

    // ---- no answer

    @Test
    void everyCallEndsInTimeWhileTheServerIsFrozenAndWorksAfter() {
        Stored mark = node.claim(3);

        requireWithin(Duration.ofSeconds(2), () -> {
            proxy.freeze();
            for (int i = 0; i < 3; i++) {
                requireWithin(
                        Duration.ofMillis(1_200),
                        () -> time(() -> {
                            CoordinatorException read = catchThrowableOfType(
                                    CoordinatorException.class,
                                    () -> node.coordinator.read(3, 3, Duration.ofMillis(500)));
                            assertThat(read.permanent()).isFalse();
                            assertThat(read).hasMessageContaining("does not answer within");
                        }));
            }
            proxy.pass();
            return Duration.ofMillis(await(TIMEOUT, node::answers));
        });

        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    /** Otherwise a machine whose handshakes take longer than a call may would never connect again. */
    @Test
    void aHandshakeThatOutlastsItsCallServesALaterOne() {
        Map<String, String> separate = new HashMap<>(settingsByProxy);
        separate.put("snowflake.kubernetes.url", "https://localhost:" + proxy.port());
        Duration call = Duration.ofMillis(300);
        proxy.delayFirstReplies(call.multipliedBy(3));
        try (Node late = new KubernetesNode(namespace, separate)) {
            assertThat(catchThrowableOfType(CoordinatorException.class, () -> late.coordinator.read(3, 3, call)))
                    .hasMessageContaining("does not answer within");

            await(TIMEOUT, () -> late.answers(call));
        }
    }

    @Test
    void aConnectionThatIsNeverAcceptedEndsInTime() throws IOException {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            try (Node nowhere = new KubernetesNode(namespace, at("https://127.0.0.1:" + full.getLocalPort()))) {
                requireWithin(
                        Duration.ofMillis(1_500),
                        () -> time(() -> assertThat(catchThrowableOfType(
                                                CoordinatorException.class,
                                                () -> nowhere.coordinator.read(3, 3, Duration.ofMillis(500)))
                                        .permanent())
                                .isFalse()));
            }
        }
    }

    @Test
    void worksAtOnceAfterARestart() {
        Stored mark = node.claim(3);
        server.kill();
        proxy.cut();
        CoordinatorException down = catchThrowableOfType(
                CoordinatorException.class,
                () -> node.coordinator.extend(3, mark, "limit=2", node.owner(3), meta, TIMEOUT));
        assertThat(down.permanent()).isFalse();

        server.startAgain();

        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    /** It was applied, and nothing was seen of the namespace's record afterwards. */
    @Test
    void claimThatCannotBeValidatedIsUnknown() {
        long created = count("create leases");
        server.beforeAnswer(() -> {
            if (count("create leases") > created
                    && server.requests().get(server.requests().size() - 1).startsWith("get")) {
                proxy.cut();
            }
        });

        CasResult claim = claim(TIMEOUT);
        server.beforeAnswer(() -> {});

        unknown(claim);
        assertClaimed();
    }

    @Test
    void unreachableAndUnknownHostsAreNamedAndNotPermanent() {
        int closed = FreePorts.next();
        for (String url : List.of("https://127.0.0.1:" + closed, "https://unknown.invalid")) {
            try (Node nowhere = new KubernetesNode(namespace, at(url))) {
                CoordinatorException read =
                        catchThrowableOfType(CoordinatorException.class, () -> nowhere.coordinator.read(0, 0, TIMEOUT));

                assertThat(read).hasMessageContainingAll(url, "is not reachable", "snowflake.kubernetes.url");
                assertThat(read.permanent()).isFalse();
            }
        }
    }

    // ---- answers

    @ParameterizedTest
    @ValueSource(ints = {302, 408, 500, 502, 503, 504})
    void writeThatIsAnsweredSoMayHaveBeenDone(int status) {
        server.fail("create", Fault.of(status, "Timeout", "etcdserver: request timed out"));

        CasResult.Unknown unknown = unknown(claim(TIMEOUT));

        assertThat(unknown.cause()).hasMessageContainingAll("answers " + status, "request timed out");
        assertThat(unknown.cause().permanent()).isFalse();
    }

    @Test
    void serverThatIsTooBusyDidNothingAndIsAskedAgainLater() {
        Fault busy = Fault.of(429, "TooManyRequests", "Too many requests, please try again later.");
        server.fail("create", new Fault(429, busy.body(), Map.of("Retry-After", "7")));

        CoordinatorException thrown = catchThrowableOfType(CoordinatorException.class, () -> claim(TIMEOUT));

        assertThat(thrown).hasMessageContainingAll("has too much to do", "after 7 s");
        assertThat(thrown.retryAfter()).hasValue(Duration.ofSeconds(7));
        assertThat(thrown.permanent()).isFalse();
        applied(claim(TIMEOUT));
    }

    /** By a part of the server that knows nothing of Kubernetes: no Status. */
    @Test
    void serverThatRefusesInPlainTextIsNotTakenForAnotherOne() {
        server.fail(
                "create",
                new Fault(429, "Too many requests, please try again later.\n", Map.of("Retry-After", "1")),
                new Fault(503, "apiserver is shutting down", Map.of()));

        assertThat(catchThrowableOfType(CoordinatorException.class, () -> claim(TIMEOUT)))
                .hasMessageContainingAll("has too much to do", "please try again later. It wants", "after 1 s")
                .hasMessageNotContaining("not as Kubernetes");
        assertThat(unknown(claim(TIMEOUT)).cause())
                .hasMessageContaining("answers 503: apiserver is shutting down")
                .hasMessageNotContaining("not as Kubernetes");
    }

    @Test
    void quotaAndPolicyAreNotTakenForAMissingRight() {
        server.fail("create", Fault.of(403, "Forbidden", "leases \"x\" is forbidden: exceeded quota: leases=10"));

        CoordinatorException thrown = catchThrowableOfType(CoordinatorException.class, () -> claim(TIMEOUT));

        assertThat(thrown).hasMessageContaining("exceeded quota").hasMessageNotContaining("Grant get");
        assertThat(thrown.permanent()).isTrue();
    }

    // a start that had waited for the API server ended as soon as that answered
    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    void rightsThatAServerThatHasJustStartedDoesNotKnowMayBeKnownLater(int status) {
        server.fail("create", Fault.of(503, "ServiceUnavailable", "apiserver is starting"));
        assertThat(claim(TIMEOUT)).isInstanceOf(CasResult.Unknown.class);
        server.fail(
                "create", Fault.of(status, "Refused", "leases \"x\" is forbidden: user \"y\" cannot create resource"));

        CoordinatorException thrown = catchThrowableOfType(CoordinatorException.class, () -> claim(TIMEOUT));

        assertThat(thrown).hasMessageContaining("cannot create resource");
        assertThat(thrown.permanent()).isFalse();
    }

    @Test
    void namespaceThatIsNotThereIsPermanent() {
        server.deleteNamespace();

        CoordinatorException thrown = catchThrowableOfType(
                CoordinatorException.class, () -> node.coordinator.writeMeta(null, unique("id=1"), TIMEOUT));

        assertThat(thrown).hasMessageContainingAll("has no namespace 'apps'", "snowflake.kubernetes.namespace");
        assertThat(thrown.permanent()).isTrue();
    }

    /** An answer that says only "not found" does not mean that a record is absent. */
    @Test
    void whatIsNotAnApiServerHasNoRecordsThatAreAbsent() {
        try (Node lost = new KubernetesNode(namespace, at("https://127.0.0.1:" + server.port() + "/elsewhere"))) {
            for (int to : new int[] {0, 1}) {
                CoordinatorException thrown =
                        catchThrowableOfType(CoordinatorException.class, () -> lost.coordinator.read(0, to, TIMEOUT));

                assertThat(thrown).hasMessageContainingAll("answers 404", "snowflake.kubernetes.url");
                assertThat(thrown.permanent()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "<html>welcome</html>", "{}", "[]", "{\"kind\":\"Lease\"}"})
    void anAnswerThatIsNoLeaseProvesNoWrite(String body) {
        server.fail("create", new Fault(200, body, Map.of()));

        unknown(claim(TIMEOUT));
    }

    @Test
    void deletedLeaseIsNotMadeAnewByAnExtension() {
        Stored mark = node.claim(3);
        String name = LeaseNames.name(namespace + "/marks/3");
        server.beforeAnswer(() -> {
            server.beforeAnswer(() -> {});
            server.delete(name);
        });

        CasResult result = node.extend(3, mark);

        assertThat(result).isInstanceOf(CasResult.Rejected.class);
        assertThat(other.slot(3).mark()).isNull();
    }

    @Test
    void leaseOfOthersIsNotTouched() {
        String name = LeaseNames.name(namespace + "/marks/3");
        server.put(
                name,
                "{\"kind\":\"Lease\",\"apiVersion\":\"coordination.k8s.io/v1\",\"metadata\":{\"name\":\"" + name
                        + "\"},\"spec\":{\"holderIdentity\":\"another-tool\"}}");

        CoordinatorException thrown = catchThrowableOfType(CoordinatorException.class, () -> claim(TIMEOUT));

        assertThat(thrown).hasMessageContainingAll(name, "not one of Snowflake ID's", "snowflake.namespace");
        assertThat(thrown.permanent()).isTrue();
        assertThat(server.lease(name)).contains("another-tool");
    }

    @Test
    void closedCoordinatorAsksNothing() {
        node.close();
        long before = server.requests().size();

        CoordinatorException thrown =
                catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 0, TIMEOUT));

        assertThat(thrown).hasMessageContaining("closed");
        assertThat(server.requests()).hasSize((int) before);
    }
}
