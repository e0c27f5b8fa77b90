// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.testservers;

import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Where test servers run: as processes, unless a system property asks for containers. */
enum ServerPlace {
    PROCESSES("127.0.0.1"),
    CONTAINERS("0.0.0.0");

    static final String PROPERTY = "snowflake.test.containers";

    private final String listenAddress;

    ServerPlace(String listenAddress) {
        this.listenAddress = listenAddress;
    }

    static ServerPlace chosen() {
        return choose(System.getProperty(PROPERTY), ServerPlace::engineAnswers);
    }

    static ServerPlace choose(@Nullable String asked, BooleanSupplier engineAnswers) {
        if (asked == null || asked.equals("false")) {
            return PROCESSES;
        }
        if (!asked.equals("true")) {
            throw new IllegalStateException(PROPERTY + "=" + asked + " is neither true nor false.");
        }
        if (!engineAnswers.getAsBoolean()) {
            throw new IllegalStateException(
                    PROPERTY
                            + "=true, but no container engine answers. Start one, set DOCKER_HOST to it, or leave that property away.");
        }
        return CONTAINERS;
    }

    private static boolean engineAnswers() {
        try {
            return ServerContainer.engineAnswers();
        } catch (LinkageError e) {
            throw new IllegalStateException(
                    PROPERTY + "=true, but Testcontainers does not work on this class path: " + e, e);
        }
    }

    /** The image to run a server from. */
    static String image(String software, @Nullable String named) {
        if (named == null || named.isBlank()) {
            throw new IllegalStateException(
                    PROPERTY + "=true needs an image of " + software + ": set " + imageProperty(software) + ".");
        }
        return named;
    }

    static String imageProperty(String software) {
        return "snowflake.test." + software + ".image";
    }

    /** What servers listen on so that this JVM reaches them at 127.0.0.1. */
    String listenAddress() {
        return listenAddress;
    }

    /** Where the other members of its cluster reach a server. */
    String peerHost(String server) {
        return this == PROCESSES ? listenAddress : server;
    }

    /**
     * A server that is not running yet.
     *
     * @param name for messages, and the host name of a container
     * @param ports that are reached from this JVM
     */
    Server server(String software, String name, Map<String, String> environment, int... ports) {
        return this == PROCESSES
                ? new ServerProcess(name, environment)
                : new ServerContainer(
                        image(software, System.getProperty(imageProperty(software))), name, environment, ports);
    }
}
