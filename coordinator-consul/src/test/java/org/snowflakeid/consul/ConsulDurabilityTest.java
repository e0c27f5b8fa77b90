// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.consul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.snowflakeid.tck.Node.TIMEOUT;
import static org.snowflakeid.tck.Node.assertPermanent;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.snowflakeid.CoordinatorException;
import org.snowflakeid.tck.Node;
import org.snowflakeid.testservers.ConsulServer;
import org.snowflakeid.testservers.LogLines;
import org.snowflakeid.testservers.TcpProxy;

/** Agents that lose what they acknowledge, and what is said of them. */
class ConsulDurabilityTest {
    private static final String LOSES =
            " was started with -dev, and keeps all in memory: Consul may lose what it acknowledged, and then ids repeat."
                    + " Set a -data-dir in place of -dev";

    @BeforeAll
    static void listen() {
        LogLines.listen();
    }

    /** About what this agent keeps. Other tests run beside these, at agents of their own. */
    private static List<String> warnings(ConsulServer agent) {
        return LogLines.of("orders").stream()
                .filter(line ->
                        line.startsWith("WARNING") && line.contains("acknowledge") && line.contains(agent.url()))
                .toList();
    }

    // no word was said, and 107 ids repeated after the agent had been started again
    @Test
    void agentThatKeepsAllInMemoryIsRefusedUnlessThatIsAccepted() {
        try (ConsulServer agent = ConsulServer.builder().inMemory().start()) {
            assertPermanent(
                    ConsulNode.at(agent.url(), Map.of()).refused(),
                    "Consul (" + agent.url() + ")" + LOSES + ", or accept it with snowflake.consul.durability=warn.");
            assertPermanent(
                    ConsulNode.at(agent.url(), Map.of("snowflake.consul.datacenter", "dc1"))
                            .refused(),
                    LOSES);
            assertThat(warnings(agent)).isEmpty();

            try (Node warned = ConsulNode.at(agent.url(), Map.of("snowflake.consul.durability", "warn"))) {
                warned.claimExtendAndRelease();
            }
            assertThat(warnings(agent))
                    .singleElement()
                    .asString()
                    .contains(LOSES + "; snowflake.consul.durability=warn accepts it.");
        }
    }

    @Test
    void agentIsLookedAtAgainAfterEachFailure() {
        try (ConsulServer agent = ConsulServer.builder().start();
                ConsulServer inMemory = ConsulServer.builder().inMemory().start();
                TcpProxy proxy = TcpProxy.to(agent.clientPort())) {
            try (Node node = ConsulNode.at("http://127.0.0.1:" + proxy.port(), Map.of())) {
                assertThat(node.answers()).isTrue();
                agent.stop();
                assertThat(node.answers()).isFalse();
                proxy.leadTo(inMemory.clientPort());

                assertPermanent(
                        catchThrowableOfType(CoordinatorException.class, () -> node.coordinator.read(0, 0, TIMEOUT)),
                        LOSES);
            }
        }
    }

    @Test
    void tokenThatMayNotAskIsEnoughAndTheWarningNamesTheRight() {
        String master = UUID.randomUUID().toString();
        try (ConsulServer agent = ConsulServer.builder().acl(master).start()) {
            Node.await(Node.PATIENCE, () -> {
                try {
                    agent.consul(
                            "acl",
                            "policy",
                            "create",
                            "-token=" + master,
                            "-name=app",
                            "-rules=key_prefix \"snowflake/\" { policy = \"write\" }");
                    return true;
                } catch (IllegalStateException notYet) {
                    return false;
                }
            });
            String token = UUID.randomUUID().toString();
            agent.consul("acl", "token", "create", "-token=" + master, "-policy-name=app", "-secret=" + token);

            try (Node node = ConsulNode.at(agent.url(), Map.of("snowflake.consul.token", token))) {
                node.claimExtendAndRelease();
            }
            assertThat(warnings(agent))
                    .singleElement()
                    .asString()
                    .contains("does not say whether it keeps what it acknowledges: /v1/agent/self answers 403")
                    .contains("agent_prefix \"\" { policy = \"read\" }")
                    .contains("Nor does it say of which datacenter it is")
                    .contains("set snowflake.consul.datacenter");

            try (Node node = ConsulNode.at(
                    agent.url(), Map.of("snowflake.consul.token", token, "snowflake.consul.datacenter", "dc1"))) {
                node.claimExtendAndRelease();
            }
            assertThat(warnings(agent)).hasSize(2).last().asString().doesNotContain("datacenter");
        }
    }
}
