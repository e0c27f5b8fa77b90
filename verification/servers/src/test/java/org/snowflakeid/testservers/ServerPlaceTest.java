// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerPlaceTest {
    private static boolean neverAsked() {
        throw new AssertionError("looked for an engine");
    }

    @Test
    void serversAreProcessesAndNoEngineIsLookedForUnlessContainersAreAskedFor() {
        assertThat(ServerPlace.choose(null, ServerPlaceTest::neverAsked)).isEqualTo(ServerPlace.PROCESSES);
        assertThat(ServerPlace.choose("false", ServerPlaceTest::neverAsked)).isEqualTo(ServerPlace.PROCESSES);
    }

    @Test
    void serversAreContainersWhenThatIsAskedForAndAnEngineAnswers() {
        assertThat(ServerPlace.choose("true", () -> true)).isEqualTo(ServerPlace.CONTAINERS);
    }

    @Test
    void askingForContainersWhereNoEngineAnswersFailsInOneLine() {
        assertThatThrownBy(() -> ServerPlace.choose("true", () -> false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("snowflake.test.containers=true, but no container engine answers."
                        + " Start one, set DOCKER_HOST to it, or leave that property away.");
    }

    @Test
    void whatIsNeitherTrueNorFalseIsRefused() {
        assertThatThrownBy(() -> ServerPlace.choose("yes", ServerPlaceTest::neverAsked))
                .hasMessage("snowflake.test.containers=yes is neither true nor false.");
    }

    @Test
    void aContainerNeedsAnImageThatIsNamed() {
        assertThat(ServerPlace.image("etcd", "registry/etcd:3.5")).isEqualTo("registry/etcd:3.5");
        assertThatThrownBy(() -> ServerPlace.image("etcd", null))
                .hasMessage("snowflake.test.containers=true needs an image of etcd: set snowflake.test.etcd.image.");
    }

    @Test
    void aFaultThatNeedsAProcessSaysSo() {
        try (ServerContainer container = new ServerContainer("none", "etcd-single-2380", Map.of())) {
            assertThatThrownBy(container::reachableData)
                    .hasMessage(
                            "etcd-single-2380 runs in a container, and reading or replacing its data needs a process:"
                                    + " leave snowflake.test.containers away.");
        }
    }
}
