// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What gRPC misses on the class path that users get: exclusions may leave out what is never called, and no more. */
class LeftOutClassesTest {

    @Test
    void onlyProxiesAndConfigurationsInJsonMissClasses() throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "--multi-release",
                "17",
                "--missing-deps",
                "--class-path",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        for (String one : List.of(
                "io.grpc.Channel",
                "io.grpc.internal.GrpcUtil",
                "io.grpc.netty.NettyChannelBuilder",
                "io.grpc.protobuf.lite.ProtoLiteUtils",
                "io.grpc.util.ForwardingClientStreamTracer")) {
            arguments.add(Path.of(Class.forName(one)
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString());
        }
        StringWriter output = new StringWriter();
        PrintWriter printed = new PrintWriter(output);

        ToolProvider.findFirst("jdeps").orElseThrow().run(printed, printed, arguments.toArray(String[]::new));

        Set<String> missing = output.toString()
                .lines()
                .filter(line -> line.startsWith("   ") && !line.matches(".*-> .*([aA]nnotation|j2objc).*"))
                .map(line -> line.strip().replaceAll("(\\$\\d+)?\\s.*", ""))
                .collect(Collectors.toSet());
        assertThat(missing)
                .containsExactlyInAnyOrder(
                        "io.grpc.internal.JsonParser",
                        "io.grpc.netty.ProtocolNegotiators$ProxyProtocolNegotiationHandler");
    }
}
