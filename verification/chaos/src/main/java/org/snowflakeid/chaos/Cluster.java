// SPDX-License-Identifier: Apache-2.0
package org.snowflakeid.chaos;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The servers of a coordinator, each a process of its own, and what can be done to them. Members are counted from 0. Methods may
 * be called by several threads; one that asks for what is so already does nothing.
 */
interface Cluster extends AutoCloseable {

    /** The value of {@code snowflake.coordinator}. */
    String coordinator();

    /** For the report. */
    String version();

    int size();

    /** Where clients connect, on loopback. */
    int port(int member);

    /**
     * What a worker is configured with.
     *
     * @param ports where it finds the members, in their order: not their own ports, but those of proxies
     */
    Map<String, String> settings(List<Integer> ports);

    /**
     * What the bytes of a request that writes have in them and those of no other, where what is read before takes most of the time: replies are
     * held from such a request on, and connections cut behind it, else nearly no outcome would ever be unknown. Empty: from any.
     */
    default String writing() {
        return "";
    }

    /** The member that leads now; empty if that cannot be found out. */
    OptionalInt leader();

    /** SIGSTOP. */
    void freeze(int member);

    /** SIGCONT. */
    void thaw(int member);

    /** SIGKILL; its data stay. */
    void kill(int member);

    /** Asks it to end, and waits until it has. */
    void stop(int member);

    /** Starts it again on its data, without waiting for it. */
    void start(int member);

    /** Returns when all members run and answer. */
    void awaitHealthy();

    /**
     * Deletes the owner entry of a worker id.
     *
     * @return whether there was one
     */
    boolean deleteOwner(String namespace, int workerId);

    /**
     * Ends, on the server, what the owner entry of a worker id hangs on: its lease or session.
     *
     * @return whether there was one
     */
    boolean expireOwner(String namespace, int workerId);

    /** The marks that are there, by worker id. */
    Map<Integer, String> marks(String namespace);

    /** Kills all members and deletes their data. */
    @Override
    void close();
}
