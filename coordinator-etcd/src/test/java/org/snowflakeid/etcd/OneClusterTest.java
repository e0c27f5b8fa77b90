// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.snowflakeid.tck.Node.PATIENCE;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.assertPermanent;
import static org.snowflakeid.tck.Node.await;

import io.grpc.Status;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.spi.Snapshot;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.EtcdServer;
import org.snowflakeid.testservers.TcpProxy;

/** Servers that are named together, and are one cluster or are not. */
class OneClusterTest {

    private static Node at(String endpoints) {
        return EtcdNode.at(endpoints, Map.of());
    }

    private static String cluster(EtcdServer server) {
        String status = server.etcdctl("endpoint", "status", "-w", "fields");
        String id = status.replaceAll("(?s).*\"ClusterID\" : (\\d+).*", "$1");
        return server.endpoint() + " is of cluster " + Long.toHexString(Long.parseUnsignedLong(id));
    }

    private static @Nullable CoordinatorException refusal(Node node) {
        try {
            Snapshot unused = node.coordinator.read(0, 0, TIMEOUT);
            return null;
        } catch (CoordinatorException e) {
            return e;
        }
    }

    // the record was written to one, was missing at the other, and the start spoke of lost data
    @Test
    void serversOfTwoClustersAreRefusedTogetherAndNothingIsWritten() {
        try (EtcdServer one = EtcdServer.start();
                EtcdServer other = EtcdServer.start()) {
            String both = one.endpoint() + "," + other.endpoint();

            assertPermanent(
                    at(both).refused(),
                    "etcd (" + both + ") is not one cluster: " + cluster(one) + ", " + cluster(other)
                            + ", and each cluster has records of its own."
                            + " Name servers of one cluster in snowflake.etcd.endpoints.");
            assertThat(one.etcdctl("get", "--prefix", "/")).isBlank();
            assertThat(other.etcdctl("get", "--prefix", "/")).isBlank();
        }
    }

    /** Its cluster and its member have the numbers of any etcd without settings, wherever it listens. */
    private static EtcdServer withoutSettings() {
        return EtcdServer.builder()
                .arguments(
                        "--name=default",
                        "--initial-cluster=default=http://localhost:2380",
                        "--initial-advertise-peer-urls=http://localhost:2380")
                .start();
    }

    // the record was written to one, was missing at the other, and the start spoke of lost data
    @Test
    void serversWithoutSettingsAreRefusedTogetherAndNothingIsWritten() {
        try (EtcdServer one = withoutSettings();
                EtcdServer other = withoutSettings()) {
            assertThat(cluster(one)).endsWith(" is of cluster cdf818194e3a8c32");
            String both = one.endpoint() + "," + other.endpoint();

            assertPermanent(
                    at(both).refused(),
                    "etcd (" + both + ") is not one cluster: " + one.endpoint() + " and " + other.endpoint()
                            + " call themselves the same, and do not know each other's leases");
            assertThat(one.etcdctl("get", "--prefix", "/")).isBlank();
            assertThat(other.etcdctl("get", "--prefix", "/")).isBlank();
        }
    }

    @Test
    void aServerOfAnotherClusterThatComesLaterIsNotBelieved() {
        try (EtcdServer one = EtcdServer.start();
                EtcdServer other = EtcdServer.start()) {
            other.kill();
            try (Node node = at(one.endpoint() + "," + other.endpoint())) {
                node.claimExtendAndRelease();
                AtomicReference<CoordinatorException> last = new AtomicReference<>();

                other.startAgain();

                await(PATIENCE, () -> {
                    last.set(refusal(node));
                    return last.get() != null && last.get().permanent();
                });
                assertPermanent(last.get(), cluster(one), cluster(other));
                assertThat(other.etcdctl("get", "--prefix", "/")).isBlank();

                other.kill();

                await(PATIENCE, () -> refusal(node) == null);
            }
        }
    }

    @Test
    void oneServerUnderTwoNamesIsUsed() {
        try (EtcdServer server = EtcdServer.start();
                Node node = at(server.endpoint() + "," + server.endpoint().replace("127.0.0.1", "localhost"))) {
            node.claimExtendAndRelease();
        }
    }

    /** As after a restore of all members with another token of the cluster. */
    @Test
    void aClusterInPlaceOfTheOneBeforeIsUsed() {
        try (EtcdServer one = EtcdServer.start();
                EtcdServer other = EtcdServer.start();
                TcpProxy first = TcpProxy.to(one.clientPort());
                TcpProxy second = TcpProxy.to(one.clientPort());
                Node node = at("http://127.0.0.1:" + first.port() + ",http://127.0.0.1:" + second.port())) {
            node.claimExtendAndRelease();

            first.leadTo(other.clientPort());
            first.cut();
            second.leadTo(other.clientPort());
            second.cut();

            await(PATIENCE, () -> {
                CoordinatorException refusal = refusal(node);
                return refusal == null && node.read(0, 0).meta() == null;
            });
            assertThat(refusal(node)).isNull();
        }
    }

    private static final Status REFUSED = Status.PERMISSION_DENIED.withDescription("etcdserver: permission denied");

    private static Passing untold(EtcdServer server) {
        Passing passing = new Passing(server.clientPort());
        passing.refuse(EtcdMethods.STATUS, REFUSED);
        return passing;
    }

    private static Node at(Passing first, Passing second) {
        return at("http://127.0.0.1:" + first.port() + ",http://127.0.0.1:" + second.port());
    }

    // each call asked them again, over a connection of its own to each
    @Test
    void serversThatRefuseToTellTheirClusterAreAskedOnce() {
        try (EtcdServer server = EtcdServer.start();
                Passing first = untold(server);
                Passing second = untold(server);
                Node node = at(first, second)) {
            // At first there may be no time to wait for all that they say.
            await(PATIENCE, () -> !isAskedAgain(node, first, second));
            for (int i = 0; i < 3; i++) {
                assertThat(isAskedAgain(node, first, second)).isFalse();
            }
        }
    }

    private static boolean isAskedAgain(Node node, Passing first, Passing second) {
        int before = first.asked(EtcdMethods.STATUS) + second.asked(EtcdMethods.STATUS);
        assertThat(refusal(node)).isNull();
        return first.asked(EtcdMethods.STATUS) + second.asked(EtcdMethods.STATUS) > before;
    }

    @Test
    void serversOfTwoClustersThatRefuseToTellItAreRefusedByTheirAnswers() {
        try (EtcdServer one = EtcdServer.start();
                EtcdServer other = EtcdServer.start();
                Passing first = untold(one);
                Passing second = untold(other);
                Node node = at(first, second)) {
            AtomicReference<CoordinatorException> last = new AtomicReference<>();

            await(PATIENCE, () -> {
                last.set(refusal(node));
                return last.get() != null && last.get().permanent();
            });

            assertPermanent(last.get(), "is not one cluster: an answer is of another one than the answer before it");

            other.kill();

            await(PATIENCE, () -> refusal(node) == null);
        }
    }
}
