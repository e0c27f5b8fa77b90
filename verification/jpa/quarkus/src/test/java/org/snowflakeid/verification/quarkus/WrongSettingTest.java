// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.verification.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.quarkus.test.junit.main.QuarkusMainLauncher;
import io.quarkus.test.junit.main.QuarkusMainTest;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QuarkusMainTest
@QuarkusTestResource(Database.class)
@TestProfile(WrongSettingTest.OneOfNative.class)
class WrongSettingTest {

    /** Of a generator that only entities name. */
    public static class OneOfNative implements QuarkusTestProfile {

        @Override
        public Map<String, String> getConfigOverrides() {
            return Map.of("snowflake.generators.native.window", "a minute");
        }
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void stopsTheStartAndSaysHowToMendIt(QuarkusMainLauncher launcher) {
        var result = launcher.launch();

        assertThat(result.exitCode()).isNotZero();
        assertThat(result.getOutput() + result.getErrorOutput())
                .containsPattern("snowflake 'native': snowflake.generators.native.window=a minute is not .*PT60S");
    }
}
