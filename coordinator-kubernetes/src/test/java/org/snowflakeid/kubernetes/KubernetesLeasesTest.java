// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.unique;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.http.Answer;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.spi.WorkerCoordinator.Extension;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.kubernetes.ApiServer;
import org.snowflakeid.testservers.kubernetes.MockApiServer;

/** The objects themselves: what they show to people, and how they are read. */
class KubernetesLeasesTest {
    private static final String OWNER = "token=abc host=app-17 pid=1 since=2026-03-01T10:00:00.123456789Z process=def";

    private static ApiServer server;
    private static Map<String, String> settings;

    private final String namespace = Node.freshNamespace();

    @BeforeAll
    static void start() {
        server = ApiServer.start();
        settings = server.settings();
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private String name(int id) {
        return LeaseNames.name(namespace + "/marks/" + id);
    }

    private JsonObject lease(int id) {
        return JsonParser.parseString(server.lease(name(id))).getAsJsonObject();
    }

    private static String text(JsonObject lease, String... path) {
        return Answer.text(lease, path);
    }

    @Test
    void tellWhoHoldsAWorkerIdSinceWhenAndUntilWhen() {
        try (Node node = new KubernetesNode(namespace, settings)) {
            Stored meta = node.createMeta();
            Stored mark = applied(node.claim(17, null, OWNER)).written();
            JsonObject claimed = lease(17);

            assertThat(text(claimed, "spec", "holderIdentity")).isEqualTo("app-17");
            assertThat(text(claimed, "spec", "acquireTime")).isEqualTo("2026-03-01T10:00:00.123456Z");
            assertThat(text(claimed, "spec", "leaseDurationSeconds"))
                    .isEqualTo(Long.toString(Node.TIME_TO_LIVE.toSeconds()));
            assertThat(Duration.between(Instant.parse(text(claimed, "spec", "renewTime")), Instant.now())
                            .abs())
                    .isLessThan(TIMEOUT);
            assertThat(text(claimed, "metadata", "labels", "app.kubernetes.io/managed-by"))
                    .isEqualTo("snowflake-id");
            assertThat(text(claimed, "metadata", "labels", "snowflakeid.org/namespace"))
                    .isEqualTo(namespace);
            assertThat(text(claimed, "metadata", "labels", "snowflakeid.org/worker-id"))
                    .isEqualTo("17");
            assertThat(text(claimed, "metadata", "annotations", "snowflakeid.org/record"))
                    .startsWith(mark.value() + "\nexpires=")
                    .endsWith(" " + OWNER);

            applied(node.coordinator.release(17, mark, unique("free"), node.owner(17), meta, TIMEOUT));

            assertThat(text(lease(17), "spec", "holderIdentity")).isEmpty();
            assertThat(text(lease(17), "spec", "renewTime")).isEmpty();
        }
    }

    @Test
    void keepWhatOthersWroteIntoThem() {
        try (Node node = new KubernetesNode(namespace, settings)) {
            node.createMeta();
            Stored mark = node.claim(3);
            JsonObject edited = lease(3);
            edited.getAsJsonObject("metadata").getAsJsonObject("annotations").addProperty("team", "orders");
            server.put(name(3), edited.toString());

            applied(node.extend(3, mark));

            assertThat(text(lease(3), "metadata", "annotations", "team")).isEqualTo("orders");
        }
    }

    // another namespace was advised, whose ids would have been those of this one
    @Test
    void withoutTheirAnnotationAreUnreadableRecords() {
        try (Node node = new KubernetesNode(namespace, settings)) {
            node.createMeta();
            Stored mark = node.claim(3);
            JsonObject edited = lease(3);
            edited.getAsJsonObject("metadata").remove("annotations");
            server.put(name(3), edited.toString());

            assertThat(node.slot(3).mark().value()).isEmpty();
            assertThat(node.extend(3, mark)).isInstanceOf(CasResult.Rejected.class);
        }
    }

    /** The operator's command has to know all marks of a namespace before it retires it. */
    @Test
    void areSeenInAWholeNamespaceWhateverTheirLabelsAre() {
        try (Node node = new KubernetesNode(namespace, settings)) {
            node.createMeta();
            Stored mark = node.claim(3);
            JsonObject edited = lease(3);
            edited.getAsJsonObject("metadata").remove("labels");
            server.put(name(3), edited.toString());

            assertThat(Node.ids(node.read(0, 1023))).containsExactly(3);
            assertThat(Node.ids(node.read(0, 7))).containsExactly(3);
            assertThat(node.slot(3).mark()).isEqualTo(mark);
            applied(node.extend(3, mark));
            assertThat(Node.ids(node.read(0, 29))).containsExactly(3);
        }
    }

    // of a generator with several worker ids that was taken for lost data, and ids stopped for good
    @Test
    void areExtendedTogetherWhateverTheirLabelsAre() {
        try (Node node = new KubernetesNode(namespace, settings)) {
            Stored meta = node.createMeta();
            for (List<Integer> ids : List.of(
                    List.of(5, 6),
                    List.of(40, 17),
                    IntStream.range(0, 20).map(i -> 1_000 - i * 30).boxed().toList())) {
                List<Extension> extensions = ids.stream()
                        .map(id -> new Extension(id, node.claim(id), unique("limit=2"), node.owner(id)))
                        .toList();
                for (int id : ids) {
                    JsonObject edited = lease(id);
                    edited.getAsJsonObject("metadata").remove("labels");
                    server.put(name(id), edited.toString());
                }

                assertThat(node.coordinator.extendAll(extensions, meta, TIMEOUT))
                        .allSatisfy(Node::applied);
            }
        }
    }

    @Test
    void areReadByListsOfAFewAndOfAll() {
        try (Node node = new KubernetesNode(namespace, settings)) {
            Stored meta = node.createMeta();
            List<Extension> extensions = IntStream.range(0, 20)
                    .map(i -> i * 50)
                    .mapToObj(id -> new Extension(id, node.claim(id), unique("limit=2"), node.owner(id)))
                    .toList();
            int before = server.requests().size();

            assertThat(Node.ids(node.read(0, 1023))).hasSize(20);
            assertThat(Node.ids(node.read(940, 1000))).containsExactly(950);
            assertThat(node.coordinator.extendAll(extensions, meta, TIMEOUT)).allSatisfy(Node::applied);

            List<String> requests = server.requests();
            assertThat(requests.subList(before, requests.size()))
                    .filteredOn(request -> !request.equals("update leases"))
                    .containsExactly(
                            "list leases",
                            "get leases",
                            "list leases",
                            "get leases",
                            "list leases",
                            "get leases",
                            "list leases",
                            "get leases");
        }
    }

    @Test
    void areReadInPagesOfOneMomentAndAnewIfThatTookTooLong() {
        try (MockApiServer mock = MockApiServer.startEncrypted();
                Node node = new KubernetesNode(namespace, mock.settings())) {
            node.createMeta();
            for (int id = 0; id < 1_100; id++) {
                String name = name(id);
                mock.put(
                        name,
                        Lease.next(namespace + "/marks/" + id, null, "limit=" + id, "apps", TIMEOUT)
                                .toString());
            }
            int before = mock.requests().size();

            Snapshot all = node.read(0, 2_047);

            assertThat(Node.ids(all)).hasSize(1_100);
            assertThat(mock.requests().subList(before, mock.requests().size()))
                    .containsExactly("list leases", "list leases", "list leases", "get leases");

            mock.fail(
                    "list", MockApiServer.Fault.PASS, MockApiServer.Fault.of(410, "Expired", "The provided continue"));

            assertThat(Node.ids(node.read(0, 2_047))).hasSize(1_100);
        }
    }
}
