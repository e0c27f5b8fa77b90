// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.applied;
import static org.snowflakeid.tck.Node.await;
import static org.snowflakeid.tck.Node.rejected;
import static org.snowflakeid.tck.Node.unique;
import static org.snowflakeid.tck.Stopwatch.requireWithin;
import static org.snowflakeid.tck.Stopwatch.unlessHeldUp;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.PutResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snowflakeid.spi.CasResult;
import org.snowflakeid.spi.CoordinatorConfig;
import org.snowflakeid.spi.Slot;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.spi.Stored;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.EtcdServer;

/** What is particular to etcd, on a server in good health. */
class EtcdCoordinatorTest {
    private static EtcdServer server;

    private final String namespace = Node.freshNamespace();
    private Node node;
    private Node other;

    @BeforeAll
    static void startServer() {
        server = EtcdServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void open() {
        node = EtcdNode.at(server.endpoint(), namespace);
        other = EtcdNode.at(server.endpoint(), namespace);
        node.createMeta();
    }

    @AfterEach
    void close() {
        node.close();
        other.close();
    }

    private String key(String kind, int id) {
        return "/" + namespace + "/" + kind + "/" + id;
    }

    private String etcdctlGet(String key) {
        return server.etcdctl("get", "--print-value-only", key).strip();
    }

    @Test
    void storesReadableValuesUnderTheirKeys() {
        String owner = unique("host=app-17");
        Stored mark = applied(node.claim(7, null, owner)).written();

        String listed = server.etcdctl("get", "--prefix", "/" + namespace + "/");

        assertThat(listed.lines())
                .containsExactly(
                        key("marks", 7),
                        mark.value(),
                        "/" + namespace + "/meta",
                        node.meta().value(),
                        key("workers", 7),
                        owner);
    }

    @Test
    void keepsValuesExactly() {
        String odd = "limit=5  x=ä€😀 \t trailing= ";

        CasResult result = node.coordinator.claim(1, null, odd, "o=ß", false, node.meta(), TIMEOUT);

        assertThat(applied(result).written().value()).isEqualTo(odd);
        assertThat(other.slot(1)).isEqualTo(new Slot(1, new Stored(odd, 0), "o=ß"));
    }

    @Test
    void createsTheNamespaceRecordOnceAndReplacesOnlyWhatIsExpected() {
        Stored meta = node.meta();

        CasResult.Rejected second = rejected(other.coordinator.writeMeta(null, "id=2", TIMEOUT));
        CasResult.Rejected wrong = rejected(other.coordinator.writeMeta(new Stored("id=3", 0), "id=4", TIMEOUT));
        CasResult right = other.coordinator.writeMeta(meta, "id=5", TIMEOUT);

        assertThat(second.meta()).isEqualTo(meta);
        assertThat(second.seen()).isNull();
        assertThat(wrong.meta()).isEqualTo(meta);
        assertThat(applied(right).written().value()).isEqualTo("id=5");
        assertThat(node.meta().value()).isEqualTo("id=5");
    }

    @Test
    void rejectedClaimShowsTheSlotAndChangesNothing() {
        String owner = unique("host=a");
        Stored mark = applied(node.claim(3, null, owner)).written();

        CasResult.Rejected rejected = rejected(other.claim(3, mark, unique("host=b")));

        assertThat(rejected.seen()).isEqualTo(new Slot(3, mark, owner));
        assertThat(rejected.meta()).isEqualTo(node.meta());
        assertThat(node.slot(3)).isEqualTo(new Slot(3, mark, owner));
        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
    }

    @Test
    void claimThatEvictsReplacesTheOwner() {
        Stored mark = node.claim(3);
        String owner = unique("host=b");

        CasResult result = other.coordinator.claim(3, mark, unique("limit=9"), owner, true, node.meta(), TIMEOUT);

        assertThat(applied(result).ownerHeld()).isTrue();
        assertThat(node.slot(3).owner()).isEqualTo(owner);
        await(Node.PATIENCE, () -> node.hints.get() > 0);
        assertThat(other.hints).hasValue(0);
        rejected(node.extend(3, mark));
        node.coordinator.abandon(3, node.owner(3), TIMEOUT);
        assertThat(other.slot(3).owner()).isEqualTo(owner);
    }

    @Test
    void eachWriteComparesTheNamespaceRecord() {
        Stored mark = node.claim(3);
        Stored old = node.meta();
        applied(other.coordinator.writeMeta(old, "state=retired", TIMEOUT));

        CasResult claim = node.coordinator.claim(4, null, "limit=1", "o", false, old, TIMEOUT);
        CasResult extend = node.coordinator.extend(3, mark, "limit=2", node.owner(3), old, TIMEOUT);
        CasResult release = node.coordinator.release(3, mark, "limit=0", node.owner(3), old, TIMEOUT);

        assertThat(List.of(claim, extend, release))
                .allSatisfy(r -> assertThat(rejected(r).meta()).isEqualTo(new Stored("state=retired", 0)));
        assertThat(other.slot(3).mark()).isEqualTo(mark);
        assertThat(other.slot(4).mark()).isNull();
    }

    @Test
    void comparesValuesAndNotRevisions() {
        Stored mark = node.claim(3);
        server.etcdctl("put", key("marks", 3), "something else");
        server.etcdctl("put", key("marks", 3), mark.value());

        CasResult result = node.extend(3, mark);

        assertThat(applied(result).ownerHeld()).isTrue();
    }

    @Test
    void resentExtensionIsRejectedAndShowsItsOwnBytes() {
        Stored mark = node.claim(3);
        applied(node.coordinator.extend(3, mark, "limit=2 token=x", node.owner(3), node.meta(), TIMEOUT));

        CasResult again = node.coordinator.extend(3, mark, "limit=2 token=x", node.owner(3), node.meta(), TIMEOUT);

        Slot seen = rejected(again).seen();
        assertThat(seen).isNotNull();
        assertThat(seen.mark()).isEqualTo(new Stored("limit=2 token=x", 0));
    }

    @Test
    void deletedOwnerIsHintedAndNotCreatedByAnExtension() {
        List<Stored> marks = new ArrayList<>(List.of(node.claim(3)));

        requireWithin(Duration.ofSeconds(1), () -> {
            int before = node.hints.get();
            server.etcdctl("del", key("workers", 3));
            long hintedAfter = await(Node.PATIENCE, () -> node.hints.get() > before);

            CasResult.Applied extended = applied(node.extend(3, marks.get(marks.size() - 1)));
            assertThat(extended.ownerHeld()).isFalse();
            assertThat(node.slot(3)).isEqualTo(new Slot(3, extended.written(), null));
            marks.add(
                    applied(node.claim(3, extended.written(), unique("host=a"))).written());
            return Duration.ofMillis(hintedAfter);
        });
    }

    @Test
    void revokedLeaseIsHintedAndTheOwnerCanBeClaimedAgain() {
        String owner = unique("host=a");
        Stored mark = applied(node.claim(3, null, owner)).written();
        String lease = server.etcdctl("get", "--write-out=fields", key("workers", 3))
                .lines()
                .filter(l -> l.startsWith("\"Lease\""))
                .map(l -> l.substring(l.indexOf(':') + 1).strip())
                .findFirst()
                .orElseThrow();
        server.etcdctl("lease", "revoke", Long.toHexString(Long.parseLong(lease)));

        await(Node.PATIENCE, () -> node.hints.get() > 0);
        CasResult.Applied extended = applied(node.extend(3, mark));
        CasResult.Applied claimed = applied(node.claim(3, extended.written(), owner));
        CasResult.Applied extendedAgain = applied(node.extend(3, claimed.written()));

        assertThat(extended.ownerHeld()).isFalse();
        assertThat(claimed.ownerHeld()).isTrue();
        assertThat(extendedAgain.ownerHeld()).isTrue();
        assertThat(node.slot(3).owner()).isEqualTo(owner);
    }

    @Test
    void watchIsBegunAgainWithANewClaim() {
        Stored mark = node.claim(3);
        server.etcdctl("del", key("workers", 3));
        await(Node.PATIENCE, () -> node.hints.get() > 0);
        applied(node.claim(3, mark, unique("host=a")));
        int before = node.hints.get();

        server.etcdctl("del", key("workers", 3));

        await(Node.PATIENCE, () -> node.hints.get() > before);
    }

    @Test
    void ownEntryIsHeldUnderWhateverLease() {
        String owner = unique("host=a");
        Stored mark = applied(node.claim(3, null, owner)).written();
        // lease 694d5765fc71500b granted with TTL(60s)
        String lease = server.etcdctl("lease", "grant", "60").split(" ", -1)[1];
        server.etcdctl("put", "--lease=" + lease, key("workers", 3), owner);

        assertThat(applied(node.extend(3, mark)).ownerHeld()).isTrue();
        applied(node.coordinator.release(
                3, node.slot(3).mark(), "limit=1 token=free", node.owner(3), node.meta(), TIMEOUT));
        assertThat(server.etcdctl("lease", "list")).doesNotContain(lease);
    }

    @Test
    void ownerExpiresUnlessExtended() throws Exception {
        Duration timeToLive = Duration.ofMillis(2_100);
        unlessHeldUp(timeToLive, (number, stopwatch) -> {
            int kept = 2 * number;
            int lost = 2 * number + 1;
            try (Node brief = EtcdNode.at(server.endpoint(), namespace, timeToLive)) {
                List<Stored> marks = new ArrayList<>(List.of(brief.claim(kept)));
                Stored left = brief.claim(lost);

                await(Node.PATIENCE, () -> {
                    CasResult.Applied extended =
                            applied(stopwatch.startAgainWith(() -> brief.extend(kept, marks.get(marks.size() - 1))));
                    assertThat(extended.ownerHeld()).isTrue();
                    marks.add(extended.written());
                    return brief.slot(lost).owner() == null;
                });

                assertThat(brief.slot(kept).owner()).isNotNull();
                assertThat(brief.slot(lost).mark()).isEqualTo(left);
                await(Node.PATIENCE, () -> brief.hints.get() > 0);
                assertThat(applied(brief.extend(lost, left)).ownerHeld()).isFalse();
            }
        });
    }

    @Test
    void releaseWritesTheMarkAndFreesTheOwnerWithoutAHint() {
        Stored mark = node.claim(3);

        CasResult released =
                node.coordinator.release(3, mark, "limit=1 token=free", node.owner(3), node.meta(), TIMEOUT);

        assertThat(applied(released).written().value()).isEqualTo("limit=1 token=free");
        assertThat(other.slot(3)).isEqualTo(new Slot(3, new Stored("limit=1 token=free", 0), null));
        applied(other.claim(3, new Stored("limit=1 token=free", 0), unique("host=b")));
        assertThat(node.hints).hasValue(0);
    }

    @Test
    void releaseLeavesAnotherOwnersEntry() {
        Stored mark = node.claim(3);
        server.etcdctl("put", key("workers", 3), "host=b");

        CasResult released =
                node.coordinator.release(3, mark, "limit=1 token=free", node.owner(3), node.meta(), TIMEOUT);

        applied(released);
        assertThat(etcdctlGet(key("workers", 3))).isEqualTo("host=b");
    }

    @Test
    void releasingOneWorkerIdKeepsTheOthersOwner() {
        Stored first = node.claim(3);
        rejected(node.claim(3, first, unique("host=a")));
        Stored second = node.claim(4);

        applied(node.coordinator.release(3, first, "limit=1 token=free", node.owner(3), node.meta(), TIMEOUT));
        node.coordinator.abandon(3, node.owner(3), TIMEOUT);

        assertThat(applied(node.extend(4, second)).ownerHeld()).isTrue();
    }

    @Test
    void abandonRemovesTheOwnerAndKeepsTheMark() {
        Stored mark = node.claim(3);

        node.coordinator.abandon(3, node.owner(3), TIMEOUT);
        node.coordinator.abandon(3, node.owner(3), TIMEOUT);

        assertThat(other.slot(3)).isEqualTo(new Slot(3, mark, null));
    }

    private void putMarks(int count) throws EtcdFailure {
        List<PutRequest> puts = new ArrayList<>();
        for (int id = 0; id < count; id++) {
            puts.add(PutRequest.newBuilder()
                    .setKey(ByteString.copyFromUtf8(key("marks", id)))
                    .setValue(ByteString.copyFromUtf8("limit=" + id))
                    .build());
        }
        CoordinatorConfig config = new CoordinatorConfig(
                "orders", namespace, TIMEOUT, Map.of(EtcdSettings.ENDPOINTS.name(), server.endpoint())::get);
        try (EtcdConnection connection = new EtcdConnection(new EtcdSettings(config))) {
            for (var answer : connection.callAll(
                    connection.deadline(Node.PATIENCE),
                    EtcdMethods.call("KV/Put", PutRequest.getDefaultInstance(), PutResponse.getDefaultInstance()),
                    puts)) {
                assertThat(answer.get().hasHeader()).isTrue();
            }
        }
    }

    @Test
    void readsManySlotsInPagesAtOneRevision() throws EtcdFailure {
        int count = 4_500;
        putMarks(count);
        server.etcdctl("put", key("workers", 9), "host=a");
        server.etcdctl("put", key("workers", 4_444), "host=b");
        server.etcdctl("put", key("marks", 0) + "7", "a seven after all");
        server.etcdctl("put", "/" + namespace + "/marks/007", "no worker id");
        server.etcdctl("put", "/" + namespace + "/marks/x", "no worker id");

        Snapshot all = node.read(0, 65_535);
        Snapshot part = node.read(100, 4_450);
        Snapshot few = node.read(4_440, 4_450);

        assertThat(all.meta()).isEqualTo(node.meta());
        assertThat(all.slots()).hasSize(65_536);
        assertThat(Node.ids(all)).isEqualTo(IntStream.range(0, count).boxed().toList());
        assertThat(all.slots().get(4_444)).isEqualTo(new Slot(4_444, new Stored("limit=4444", 0), "host=b"));
        assertThat(all.slots().get(9).owner()).isEqualTo("host=a");
        assertThat(all.slots().get(7).mark()).isEqualTo(new Stored("limit=7", 0));
        assertThat(part.slots()).isEqualTo(all.slots().subList(100, 4_451));
        assertThat(few.slots()).isEqualTo(all.slots().subList(4_440, 4_451));
    }

    @Test
    void readTellsTheServersTime() {
        Instant before = Instant.now();
        Instant time = node.read(0, 1_023).serverTime();
        Instant after = Instant.now();

        assertThat(time).isBetween(before.minusSeconds(2), after.plusSeconds(2));
    }

    @Test
    void interruptedWriteIsOfUnknownOutcomeAndKeepsTheFlag() {
        Stored mark = node.claim(3);
        Stored meta = node.meta();

        Thread.currentThread().interrupt();
        CasResult extend = node.coordinator.extend(3, mark, "limit=2", node.owner(3), meta, TIMEOUT);
        boolean afterExtend = Thread.interrupted();
        Thread.currentThread().interrupt();
        CasResult claim = node.coordinator.claim(4, null, "limit=2", "o", false, meta, TIMEOUT);
        boolean afterClaim = Thread.interrupted();

        assertThat(Node.unknown(extend).cause().permanent()).isFalse();
        Node.unknown(claim);
        assertThat(afterExtend).isTrue();
        assertThat(afterClaim).isTrue();
    }

    @Test
    void extensionCostsOneTransactionAndOneRenewal() {
        Stored mark = node.claim(3);
        Stored meta = node.meta();
        double transactions = requests("Txn");
        double streams = requests("LeaseKeepAlive");

        for (int i = 0; i < 10; i++) {
            mark = applied(node.coordinator.extend(3, mark, unique("limit=2"), node.owner(3), meta, TIMEOUT))
                    .written();
        }

        assertThat(requests("Txn") - transactions).isEqualTo(10);
        assertThat(requests("LeaseKeepAlive") - streams).isEqualTo(10);
        await(Node.PATIENCE, () -> requests("LeaseKeepAlive") == handled("LeaseKeepAlive"));
    }

    private static double requests(String method) {
        return server.metric("grpc_server_started_total", "\"" + method + "\"");
    }

    private static double handled(String method) {
        return server.metric("grpc_server_handled_total", "\"" + method + "\"");
    }
}
