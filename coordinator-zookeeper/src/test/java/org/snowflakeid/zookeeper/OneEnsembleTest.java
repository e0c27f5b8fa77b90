// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.assertPermanent;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.TcpProxy;
import org.snowflakeid.testservers.ZooKeeperEnsemble;
import org.snowflakeid.testservers.ZooKeeperServer;

/** Servers that are named together, and are one ensemble or are not. */
class OneEnsembleTest {

    private static List<String> warnings() {
        return LogLines.of("orders").stream()
                .filter(line -> line.startsWith("WARNING") && line.contains("no ensemble"))
                .toList();
    }

    // no word was said, and 129 ids repeated
    @Test
    void serversThatRunAloneAreRefusedTogetherUnlessThatIsAccepted() {
        LogLines.listen();
        try (ZooKeeperServer one = ZooKeeperServer.start();
                ZooKeeperServer other = ZooKeeperServer.start()) {
            String both = one.connectString() + "," + other.connectString();
            String said = "ZooKeeper (" + both + ") " + one.connectString() + " and " + other.connectString()
                    + " are named together, and are no ensemble: each has records of its own: ZooKeeper may lose what it"
                    + " acknowledged, and then ids repeat. Set snowflake.zookeeper.connect-string to the servers of one"
                    + " ensemble";

            assertPermanent(
                    ZooKeeperNode.at(both, Map.of()).refused(),
                    said + ", or accept it with snowflake.zookeeper.durability=warn.");
            assertThat(warnings()).isEmpty();

            try (Node warned = ZooKeeperNode.at(both, Map.of("snowflake.zookeeper.durability", "warn"))) {
                warned.claimExtendAndRelease();
            }
            assertThat(warnings()).singleElement().asString().contains(said + "; snowflake.zookeeper.durability=warn");
        }
    }

    @Test
    void oneServerUnderTwoNamesIsUsed() {
        try (ZooKeeperServer one = ZooKeeperServer.start();
                Node node = ZooKeeperNode.at(
                        one.connectString() + "," + one.connectString().replace("127.0.0.1", "localhost"), Map.of())) {
            node.claimExtendAndRelease();
        }
    }

    // each process took the ensemble that it reached first, and no word was said
    @Test
    void twoEnsemblesAreRefusedTogether() {
        ZooKeeperServer.Builder ensembleOfOne = ZooKeeperServer.builder().configure("standaloneEnabled", "false");
        try (ZooKeeperEnsemble old = ZooKeeperEnsemble.start(1, ensembleOfOne);
                ZooKeeperEnsemble next = ZooKeeperEnsemble.start(1, ensembleOfOne)) {
            String both = old.connectString() + "," + next.connectString();

            assertPermanent(
                    ZooKeeperNode.at(both, Map.of()).refused(),
                    old.connectString() + " and " + next.connectString() + " are named together, and are no ensemble");
        }
    }

    // in two networks with the same names of hosts the lists of members are the same: no word was said
    @Test
    void twoEnsemblesWhoseListsOfMembersAreTheSameAreRefusedTogether() {
        ZooKeeperServer.Builder ensembleOfOne = ZooKeeperServer.builder().configure("standaloneEnabled", "false");
        try (ZooKeeperEnsemble one = ZooKeeperEnsemble.start(1, ensembleOfOne);
                ZooKeeperEnsemble other = ZooKeeperEnsemble.start(1, ensembleOfOne);
                TcpProxy proxy = TcpProxy.to(other.members().get(0).clientPort())) {
            proxy.show(one.members().get(0).member(), other.members().get(0).member());

            assertPermanent(
                    ZooKeeperNode.at(one.connectString() + ",127.0.0.1:" + proxy.port(), Map.of())
                            .refused(),
                    " are named together, and are no ensemble");
        }
    }

    @Test
    void serversThatEnforceALoginAreRefusedTogether() {
        ZooKeeperServer.Builder enforcing = ZooKeeperServer.builder()
                .jvmArguments("-Dzookeeper.enforce.auth.enabled=true", "-Dzookeeper.enforce.auth.schemes=digest");
        try (ZooKeeperServer one = enforcing.start();
                ZooKeeperServer other = enforcing.start()) {
            assertPermanent(
                    ZooKeeperNode.at(
                                    one.connectString() + "," + other.connectString(),
                                    Map.of("snowflake.zookeeper.digest", "app:secret"))
                            .refused(),
                    " are named together, and are no ensemble");
        }
    }

    @Test
    void ensembleWithAMemberThatIsDownIsUsed() {
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start(3)) {
            ensemble.members().get(0).kill();
            Node.await(Node.PATIENCE, () -> ensemble.members().stream().skip(1).anyMatch(ZooKeeperServer::leads));
            try (Node node = ZooKeeperNode.at(ensemble.connectString(), Map.of())) {
                Node.await(Node.PATIENCE, node::answers);
                node.claimExtendAndRelease();
            }
        }
    }

    @Test
    void membersWhoseListsDifferAreOneEnsemble() {
        try (ZooKeeperEnsemble ensemble =
                        ZooKeeperEnsemble.start(2, ZooKeeperServer.builder().ownHost("localhost"));
                Node node = ZooKeeperNode.at(ensemble.connectString(), Map.of())) {
            node.claimExtendAndRelease();
        }
    }

    private static ZooKeeperServer.Builder withLocalSessions() {
        return ZooKeeperServer.builder().ownHost("localhost").configure("localSessionsEnabled", "true");
    }

    // each start failed at once: no member knew a session that another one had granted
    @Test
    void membersThatKeepSessionsToThemselvesAreOneEnsemble() {
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start(
                        2, withLocalSessions().configure("localSessionsUpgradingEnabled", "true"));
                Node node = ZooKeeperNode.at(ensemble.connectString(), Map.of())) {
            node.claimExtendAndRelease();
        }
    }

    // a start waited for a minute and a half: answers EPHEMERALONLOCALSESSION, or: gave no answer: the session ended
    @Test
    void sessionsThatCanHaveNoOwnerEntriesAreRefused() {
        try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start(2, withLocalSessions())) {
            for (ZooKeeperServer each : ensemble.members()) {
                try (Node node = ZooKeeperNode.at(each.connectString(), Node.freshNamespace())) {
                    node.createMeta();
                    CoordinatorException refused =
                            catchThrowableOfType(CoordinatorException.class, () -> node.claim(3));

                    assertThat(refused).hasMessageContaining("set localSessionsUpgradingEnabled=true on all servers.");
                    // A follower does not tell this from a session that ended.
                    assertThat(refused.permanent()).isEqualTo(each.leads());
                }
            }
            try (Node node = ZooKeeperNode.at(ensemble.connectString(), Node.freshNamespace())) {
                assertThat(node.read(0, 0).meta()).isNull();
            }
        }
    }
}
