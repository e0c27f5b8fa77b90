// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.runtime.helidon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snowflakeid.runtime.Launcher;
import org.snowflakeid.runtime.RunningApplication;
import org.snowflakeid.runtime.RuntimeContract;
import org.snowflakeid.runtime.ShownMeters;

class HelidonIT extends RuntimeContract {

    private static final String CLASS_PATH = "target/classes" + File.pathSeparator + "target/libs/*";

    HelidonIT() {
        super("helidon", HelidonIT::prepare);
    }

    private static ProcessBuilder prepare(int port) {
        ProcessBuilder builder =
                new ProcessBuilder(Launcher.java("-cp", CLASS_PATH, "io.helidon.microprofile.cdi.Main"));
        builder.environment().putAll(Map.of("SERVER_HOST", "127.0.0.1", "SERVER_PORT", Integer.toString(port)));
        return builder;
    }

    @Test
    void showsItsMetersAtHelidonsOwnEndpoint() throws Exception {
        ShownMeters.check(application());
    }

    // the owner entries stayed until their windows ended: Helidon hears of SIGTERM only when it has started
    @ParameterizedTest
    @ValueSource(strings = {"before the port is open", "before the start is over"})
    void givesItsWorkerIdsBackIfItIsTerminatedWhileItStarts(String place) throws Exception {
        String namespace = "terminated-" + place.replace(' ', '-');
        Map<String, String> environment = Map.of(
                "SNOWFLAKE_ETCD_ENDPOINTS",
                etcd().endpoint(),
                "SNOWFLAKE_NAMESPACE",
                namespace,
                "SNOWFLAKE_WINDOW",
                "PT1H",
                "START_STAYS",
                place);
        try (RunningApplication application = RunningApplication.launch(HelidonIT::prepare, namespace, environment)) {
            application.awaitEndOrLog("The start stays " + place);
            assertThat(ownersIn(namespace)).as(application.log()).hasSize(2);

            assertThat(application.terminate()).isEqualTo(128 + 15);

            assertThat(ownersIn(namespace)).isEmpty();
        }
    }

    private List<String> ownersIn(String namespace) {
        return etcd().etcdctl("get", "--prefix", "/" + namespace + "/", "--keys-only")
                .lines()
                .filter(key -> key.contains("/workers/"))
                .toList();
    }
}
