// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.snowflakeid.testservers.TestServer;

/** The common part of all coordinators: the members are processes. */
abstract class ServersUnderChaos<S extends TestServer> implements Cluster {
    private final List<S> members;

    ServersUnderChaos(List<S> members) {
        this.members = members;
    }

    final S server(int member) {
        return members.get(member);
    }

    /** Of the ports of all members, joined by commas. */
    static String joined(List<Integer> ports, String prefix) {
        return ports.stream().map(port -> prefix + port).collect(Collectors.joining(","));
    }

    @Override
    public int size() {
        return members.size();
    }

    @Override
    public int port(int member) {
        return server(member).clientPort();
    }

    @Override
    public OptionalInt leader() {
        for (int member = 0; member < size(); member++) {
            try {
                if (server(member).isRunning() && server(member).leads()) {
                    return OptionalInt.of(member);
                }
            } catch (UncheckedIOException frozen) {
                // Another may lead.
            }
        }
        return OptionalInt.empty();
    }

    @Override
    public void freeze(int member) {
        synchronized (server(member)) {
            if (server(member).isRunning()) {
                server(member).pause();
            }
        }
    }

    @Override
    public void thaw(int member) {
        synchronized (server(member)) {
            if (server(member).isRunning()) {
                server(member).resume();
            }
        }
    }

    @Override
    public void kill(int member) {
        synchronized (server(member)) {
            server(member).kill();
        }
    }

    @Override
    public void stop(int member) {
        synchronized (server(member)) {
            if (server(member).isRunning()) {
                server(member).stop();
            }
        }
    }

    @Override
    public void start(int member) {
        synchronized (server(member)) {
            if (!server(member).isRunning()) {
                // It may have ended by itself: kill() clears up after it.
                server(member).kill();
                server(member).startAgain();
            }
        }
    }

    @Override
    public void awaitHealthy() {
        members.forEach(TestServer::awaitHealthy);
    }

    /** The answer of the first member that gives one: one may be frozen, or all but one be dead. */
    final <T> Optional<T> ask(Function<S, T> question) {
        for (S server : members) {
            try {
                if (server.isRunning()) {
                    return Optional.of(question.apply(server));
                }
            } catch (IllegalStateException | UncheckedIOException noAnswer) {
                // The next one, perhaps.
            }
        }
        return Optional.empty();
    }

    static String owner(String namespace, int workerId) {
        return "/" + namespace + "/workers/" + workerId;
    }

    @Override
    public void close() {
        members.forEach(TestServer::close);
    }
}
